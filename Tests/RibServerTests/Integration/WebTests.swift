import Foundation
import RibTestSupport
import Testing

/// The client for browsers: its own tests under node, and its pages in a real Chromium and a real Firefox.
@Suite(.blocking(within: 1800)) struct WebTests {
  private static let node = Program.find("node")

  private static let tsc = Program.find("tsc")

  /// Where they find the daemon.
  private static let environment = ["RIBD": Program.url("ribd").path]

  @Test(.enabled(if: TestRun.includesTests(of: node), "scripts/setup --tests installs node"))
  func unitTests_pass() throws {
    let folder = repository.appendingPathComponent("Tests/Web")
    let tests = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".test.js") }
    #expect(!tests.isEmpty)
    let (status, output, errors) = try Program.run(
      try #require(Self.node),
      ["--test", "--test-reporter=spec"] + tests.sorted().map { folder.appendingPathComponent($0).path },
      environment: Self.environment, within: 600)
    // What passed is left out: of a long message a log keeps both ends only.
    let failures = output.range(of: "failing tests:").map { output[$0.lowerBound...] } ?? output[...]
    #expect(status == 0, "\(failures)\(errors)")
  }

  /// The declarations are what the compiler of TypeScript accepts, and say what the client is.
  @Test(.enabled(if: TestRun.includesTests(of: tsc), "scripts/setup --tests installs tsc"))
  func declarations_areSound() throws {
    let (status, output, errors) = try Program.run(
      try #require(Self.tsc),
      ["--noEmit", "--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node16"]
        + [
          "Tests/Web/types.ts", "web/riblet.d.ts", "web/riblet-check.d.ts", "web/render.d.ts", "web/generic.d.ts",
          "web/riblet-indexeddb.d.ts", "web/riblet-react.d.ts", "web/riblet-vue.d.ts", "web/riblet-banner.d.ts",
          "web/inspector.d.ts",
        ],
      directory: repository)
    #expect(status == 0, "\(output)\(errors)")
  }

  /// Each file is a process of its own, so that a failure says where.
  @Test(
    .enabled(if: TestRun.includesTests(of: InteropTests.python), "make test sets RIB_PYTHON"),
    arguments: try longestFirst())
  func pages_workInBrowsers(_ file: String) throws {
    let python = URL(fileURLWithPath: try #require(InteropTests.python))
    let (status, output, errors) = try Program.run(
      python, ["-m", "unittest", "-v", String(file.dropLast(3))], directory: Self.folder,
      environment: Self.environment, within: 900)
    #expect(status == 0, "\(output)\(errors)")
  }

  private static let folder = repository.appendingPathComponent("Tests/Browser")

  /// Those that take longest, with other browsers or many pages, and between them those that wait for timers of the client's.
  private static let slow = [
    "typing", "bindings", "admin", "stage", "showcase", "access", "members", "webkit", "render", "page", "liveness",
    "resilience", "firefox", "storage", "notices", "keyboard", "chaos",
  ]

  /// The files of the tests: of several that run at a time the longest is not to be the last, but for that of the cluster, which loads the machine
  /// with a database and three nodes, and has the other tests of the server be over by then.
  private static func longestFirst() throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix("_test.py") }
    let first = slow.map { "\($0)_test.py" }, last = ["cluster_test.py"]
    return first + files.filter { !(first + last).contains($0) }.sorted() + last
  }
}
