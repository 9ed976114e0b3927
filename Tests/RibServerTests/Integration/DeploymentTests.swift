import CurlTransport
import Foundation
import RibClient
import RibServer
import RibTestSupport
import Testing
import Wire

/// The files that set a cluster up in containers: validators read them, and real programs start as they say.
///
/// No container is built or run here.
@Suite(
  .enabled(
    if: PostgresServer.isTested && TestRun.includesTests(of: InteropTests.python),
    "make test sets RIB_PYTHON; scripts/setup --tests installs PostgreSQL"),
  .blocking, .timeLimit(.minutes(5)))
struct DeploymentTests {
  /// What `Tests/Interop/deployment.py` has read.
  private struct Files: Decodable {
    let images: [String: Image]
    /// Of compose.cluster.yaml.
    let nodes: [Node]
    /// Of config/kubernetes-cluster.yaml.
    let pod: Node

    static let read = Result {
      let script = repository.appendingPathComponent("Tests/Interop/deployment.py").path
      let programs = ["ribd", "ribd-cluster"].map { Program.url($0).path }
      let python = URL(fileURLWithPath: try #require(InteropTests.python))
      let (status, output, errors) = try Program.run(python, [script] + programs)
      try #require(status == 0, "\(errors)")
      return try JSONDecoder().decode(Files.self, from: Data(output.utf8))
    }
  }

  private struct Image: Decodable {
    let packages: Set<String>
    let buildPackages: Set<String>
    let entry: [String]
    let health: [String]
    /// Files of the repository, by their paths in the image.
    let files: [String: String]
  }

  private struct Node: Decodable {
    let name: String
    let arguments: [String]
    let environment: [String: String]
    /// Where it listens to other nodes.
    let listens: String
    /// How long it may take to stop, and what of this passes before it is told to.
    let graceSeconds: Int
    let headStartSeconds: Int
    /// How many it may have open; nil if the file does not say.
    let descriptors: Int?
    /// The paths of health checks.
    let probes: [String]

    /// Starts `ribd-cluster` with the arguments and the environment of the file: at free ports of this machine, with a test's database.
    func start(of image: Image, _ database: String, log: String) throws -> Daemon {
      var replaced = ["0.0.0.0": "127.0.0.1", "8080": "0"]
      for (path, file) in image.files { replaced[path] = repository.appendingPathComponent(file).path }
      let arguments = arguments.map { replaced[$0] ?? $0.replacing(listens, with: "127.0.0.1:0") }
      return try Daemon(
        arguments + ["--log-level", "info"],
        environment: environment.merging(["RIBD_STORE_URL": database]) { $1 }, log: log, program: image.entry[0])
    }

    var drainSeconds: Int? {
      let flag = "--timeouts-drain-seconds="
      return
        (arguments.first { $0.hasPrefix(flag) }.map { String($0.dropFirst(flag.count)) }
        ?? environment["RIBD_TIMEOUTS_DRAIN_SECONDS"]).flatMap { Int($0) }
    }
  }

  /// Waits until nodes have said that there are links, each at both ends.
  private static func waitForLinks(_ count: Int, in log: String) throws {
    try waitUntil {
      try String(contentsOfFile: log, encoding: .utf8).components(separatedBy: "There is a link to a node").count - 1
        >= 2 * count
    }
  }

  /// The image of a server on its own has nothing of PostgreSQL's.
  @Test func images_haveLibpqWhereItIsNeeded() throws {
    let images = try Files.read.get().images
    for (name, isExpected) in ["ribd": false, "ribd-cluster": true] {
      let image = try #require(images[name])
      #expect(image.packages.contains("libpq5") == isExpected, "\(name)")
      #expect(image.buildPackages.contains("libpq-dev") == isExpected, "\(name)")
    }
  }

  /// The nodes of compose.cluster.yaml find each other, are well as their image's check has it, and have the same sessions.
  @Test func composeFile_setsUpACluster() throws {
    let files = try Files.read.get()
    let image = try #require(files.images["ribd-cluster"])
    let (database, directory) = (try PostgresServer.makeDatabase(), try TemporaryDirectory())
    let log = directory.path + "/log"
    let nodes = try files.nodes.map { try $0.start(of: image, database, log: log) }
    try #require(nodes.count == 3)
    try Self.waitForLinks(3, in: log)
    let client = try CurlClient(url: nodes[0].url, app: "counter")
    try client.perform(#""increment""#)
    let welcome = try #require(client.session.welcome)
    for node in nodes {
      let check = image.health.map { word in
        word == "8080" ? "\(node.port)" : image.files[word].map { repository.appendingPathComponent($0).path } ?? word
      }
      try #require(check != image.health && check[0] == image.entry[0])
      #expect(try Program.run(Program.url(check[0]), Array(check.dropFirst())).status == 0)
      let twin = try TwinClient(node.url, sessionID: welcome.sessionID, token: welcome.token)
      #expect(try twin.view().body.contains(#""count":1"#))
    }
    for node in nodes { #expect(node.stop() == 0) }
  }

  /// Pods of config/kubernetes-cluster.yaml find each other, and answer the kubelet, which calls them by their addresses.
  @Test func kubernetesFile_setsUpACluster() throws {
    let files = try Files.read.get()
    let image = try #require(files.images["ribd-cluster"])
    let (database, directory) = (try PostgresServer.makeDatabase(), try TemporaryDirectory())
    let log = directory.path + "/log"
    let nodes = try (0..<2).map { _ in try files.pod.start(of: image, database, log: log) }
    try Self.waitForLinks(1, in: log)
    let curl = try #require(Program.find("curl"))
    try #require(files.pod.probes.count == 3)
    for path in files.pod.probes {
      let arguments = ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: 192.0.2.7:8080"]
      #expect(try Program.run(curl, arguments + [nodes[0].url + path]).output == "200", "\(path)")
    }
    for node in nodes { #expect(node.stop() == 0) }
  }

  /// A node is not killed while clients are asked to go elsewhere, and while it writes; and it has descriptors for all connections it lets in.
  @Test func files_leaveNodesWhatTheyMayTake() throws {
    let files = try Files.read.get()
    let settings = ServerSettings()
    for node in files.nodes + [files.pod] {
      let drain = try #require(node.drainSeconds, "\(node.name)")
      let seconds =
        node.headStartSeconds + drain + settings.timeouts.closingSeconds + settings.timeouts.storeSeconds
      #expect(node.graceSeconds >= seconds, "\(node.name)")
      // One each, and two more where it is passed on.
      if let descriptors = node.descriptors { #expect(descriptors >= 3 * settings.limits.connections, "\(node.name)") }
    }
  }
}
