import Foundation
import RibTestSupport
import Testing
import Wire

/// What a build is made of is said exactly, and cannot become something else.
@Suite struct SupplyChainTests {
  private static let python = Program.find("python3")
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func sbom(_ resolved: String, version: String = "v1.2.3") throws -> (
    status: Int32, output: String, errors: String
  ) {
    let path = "\(directory.path)/Package.resolved"
    try resolved.write(toFile: path, atomically: true, encoding: .utf8)
    return try Program.run(
      try #require(Self.python), [repository.appendingPathComponent("scripts/sbom").path, version, path])
  }

  private static func pin(_ location: String, _ state: String) -> String {
    #"{"identity":"x","kind":"remoteSourceControl","location":"\#(location)","state":{\#(state)}}"#
  }

  private static let revision = String(repeating: "0a", count: 20)
  private static let pins = [
    pin("https://github.com/b/two.git", #""revision":"\#(revision)","version":"2.0.1""#),
    pin("https://github.com/a/one", #""revision":"\#(revision)","branch":"main""#),
  ]

  @Test(.enabled(if: python != nil, "python3")) func bill_hasEachPackage_withVersionAndCommit() throws {
    let resolved = { (pins: [String]) in #"{"pins":[\#(pins.joined(separator: ","))],"version":3}"# }
    let (status, output, errors) = try sbom(resolved(Self.pins))
    #expect(status == 0, "\(errors)")
    let bill = try JSONValue(parsing: output)
    #expect(bill["bomFormat"] == .string("CycloneDX") && bill["specVersion"] == .string("1.6"))
    #expect(bill["metadata"]?["component"]?["version"] == .string("1.2.3"))
    guard case .array(let components)? = bill["components"] else {
      Issue.record("\(output)")
      return
    }
    #expect(
      components.map { $0["purl"] } == [
        .string("pkg:swift/github.com/a/one@\(Self.revision)"), .string("pkg:swift/github.com/b/two@2.0.1"),
      ])
    for component in components {
      #expect(component["pedigree"]?["commits"]?.text.contains(#""uid":"\#(Self.revision)""#) == true)
    }
    // The order of the pins is no matter.
    #expect(try sbom(resolved(Self.pins.reversed())).output == output)
  }

  @Test(
    .enabled(if: python != nil, "python3"),
    arguments: [
      #"{"pins":[\#(pin("https://github.com/a/one", #""version":"1.0.0""#))],"version":3}"#,
      #"{"pins":[\#(pin("https://github.com/a/one", #""revision":"main""#))],"version":3}"#,
      #"{"pins":[\#(pin("git@github.com:a/one", #""revision":"\#(revision)""#))],"version":3}"#,
      #"{"pins":[],"version":1}"#, "{",
    ])
  func whatIsNotPinned_makesNoBill(_ resolved: String) throws {
    let (status, output, errors) = try sbom(resolved)
    #expect(status == 1 && output.isEmpty && errors.hasPrefix("sbom: "), "\(errors)")
  }

  /// Docker is one that is made up here: what it says is not.
  @Test(.enabled(if: python != nil, "python3")) func images_arePinnedToDigests() throws {
    let files = FileManager.default
    let paths = [
      "scripts/pin-images", "Dockerfile", "compose.cluster.yaml", "config/compose.yaml", ".github/workflows/ci.yml",
      ".github/workflows/nightly.yml",
    ]
    for path in paths {
      let target = URL(fileURLWithPath: "\(directory.path)/\(path)")
      try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(at: repository.appendingPathComponent(path), to: target)
    }
    let digest = "sha256:" + String(repeating: "5", count: 64)
    let docker = "\(directory.path)/docker"
    try "#!/bin/sh\necho \(digest)\n".write(toFile: docker, atomically: true, encoding: .utf8)
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: docker)
    let run = { (arguments: [String]) in
      try Program.run(
        try #require(Self.python), ["\(directory.path)/scripts/pin-images"] + arguments,
        environment: ["PATH": "\(directory.path):/usr/bin:/bin"])
    }
    #expect(try run(["--check"]).status == 1)
    let pinned = try run([])
    #expect(pinned.status == 0 && pinned.output.contains("swift:6.3-bookworm@\(digest)\n"), "\(pinned.errors)")
    #expect(try run(["--check"]).status == 0)
    let dockerfile = try String(contentsOfFile: "\(directory.path)/Dockerfile", encoding: .utf8)
    #expect(dockerfile.contains("FROM swift:6.3-bookworm@\(digest) AS sources\n"))
    #expect(dockerfile.contains("FROM sources AS build-ribd\n"))
    #expect(try run([]).status == 0)
    #expect(try String(contentsOfFile: "\(directory.path)/Dockerfile", encoding: .utf8) == dockerfile)
  }

  /// A tag or a branch of somebody else's can be made to mean something else over night.
  @Test func workflows_runCommitsOnly() throws {
    let folder = repository.appendingPathComponent(".github/workflows")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      for use in text.matches(of: /uses: *([^\s]+)/).map(\.output.1) {
        #expect(use.wholeMatch(of: /[\w.\/-]+@[0-9a-f]{40}/) != nil, "\(name): \(use)")
      }
      #expect(!text.contains("git clone"), "\(name) fetches a branch: scripts/clone-commit fetches a commit")
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: repository.appendingPathComponent("scripts").path) {
      let script = repository.appendingPathComponent("scripts/\(name)")
      #expect(try !String(contentsOf: script, encoding: .utf8).contains("git clone"), "\(name)")
    }
  }
}
