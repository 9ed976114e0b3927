import Foundation
import GRDB
import RibServer
import RibTestSupport
import Showcase
import Synchronization
import Testing
import Wire
import WireHTTP

/// Clients that were not written here, and ribctl.
@Suite(.blocking, .timeLimit(.minutes(5))) struct InteropTests {
  static let python = ProcessInfo.processInfo.environment["RIB_PYTHON"]

  private static func view(_ count: Int) -> String {
    #"{"nodes":{"1":{"state":{"count":\#(count),"isNegative":\#(count < 0)},"type":"Counter"}},"root":1}"#
  }

  @Test(.enabled(if: TestRun.includesTests(of: python), "make test sets RIB_PYTHON"))
  func websocketsAndJsonpatch_arriveAtTheServersView() throws {
    let daemon = try Daemon(["--limits-actions-per-second", "0"])
    let script = repository.appendingPathComponent("Tests/Interop/counter.py").path
    let executable = URL(fileURLWithPath: try #require(Self.python))
    let (status, output, errors) = try Program.run(executable, [script, "\(daemon.port)", "1000"])
    #expect(status == 0, "\(errors)")
    #expect(output == #"{"down":\#(Self.view(-1000)),"up":\#(Self.view(1000))}"# + "\n")
  }

  /// An issuer that was not written here; and a file has lists, numbers and truths as JSON has them.
  @Test(.enabled(if: TestRun.includesTests(of: python), "make test sets RIB_PYTHON"))
  func tokensOfJoserfc_sayWhoIsThere() throws {
    let directory = try TemporaryDirectory()
    let (secret, file) = (directory.path + "/secret", directory.path + "/ribd.json")
    try Data("a secret that the issuer and the server share\n".utf8).write(to: URL(fileURLWithPath: secret))
    let json = """
      {"auth":{"mode":"jwt","required":false,"issuer":"tests","audience":"ribd","secretFile":"\(secret)",
      "algorithms":["HS256"],"types":["JWT"],"claims":["name","mail"],"leewaySeconds":0,"graceSeconds":0}}
      """
    try Data(json.utf8).write(to: URL(fileURLWithPath: file))
    let daemon = try Daemon(["--config", file])
    let python = URL(fileURLWithPath: try #require(Self.python))
    let script = repository.appendingPathComponent("Tests/Interop/sign.py").path
    let token = { (claims: String) in
      let (status, output, errors) = try Program.run(python, [script, secret, claims])
      try #require(status == 0, "\(errors)")
      return output.split(separator: "\n").joined()
    }
    let hello = { (token: String?) in
      let auth = token.map { #","auth":"\#($0)""# } ?? ""
      return try PlainClient(daemon.url, saying: #"{"t":"hello","app":"counter"\#(auth)}"#)
    }
    try hello(nil).next(#"{"t":"welcome""#)
    let ada = try hello(try token(#"{"iss":"tests","aud":["x","ribd"],"sub":"ada"}"#))
    try ada.greet()
    #expect((5_000...61_000).contains(try ada.welcome.identityExpires ?? 0))
    for claims in [
      #"{"iss":"tests","aud":"x","sub":"ada"}"#, #"{"iss":"test","aud":"ribd","sub":"ada"}"#,
      #"{"iss":"tests","aud":"ribd"}"#,
    ] {
      #expect(try hello(try token(claims)).end() == "unauthenticated 4301", "\(claims)")
    }
    #expect(try hello(try token(#"{"iss":"tests","aud":"ribd","sub":"ada","exp":-5}"#)).end() == "expired 4300")
    // Whoever does not renew it is told when it is over.
    // On a busy machine a token may be over before it is shown.
    var end: String?
    for seconds in [3, 20, 50] where end == nil {
      let brief = try hello(try token(#"{"iss":"tests","aud":"ribd","sub":"ada","exp":\#(seconds)}"#))
      try brief.greet()
      if brief.greeting.hasPrefix(#"{"t":"welcome""#) { end = try brief.end() }
    }
    #expect(end == "expired 4300")
    // A client that renews it goes on: ribctl's, with a command that gets a token each time.
    let command = "\(python.path) \(script) \(secret) '{\"iss\":\"tests\",\"aud\":\"ribd\",\"sub\":\"ada\"}'"
    let (status, output, errors) = try Program.run(
      Program.url("ribctl"), ["act", daemon.url, "--app", "counter", "--auth-command", command, "increment"])
    #expect(status == 0 && output == Self.view(1) + "\n", "\(output) \(errors)")
  }

  @Test func ribctlAct_arrivesAtTheServersView() throws {
    let daemon = try Daemon(["--limits-actions-per-second", "0"])
    let actions = Array(repeating: "increment", count: 1000)
    let (status, output, errors) = try Program.run(
      Program.url("ribctl"), ["act", daemon.url, "--app", "counter"] + actions)
    #expect(status == 0, "\(errors)")
    #expect(output == Self.view(1000) + "\n")
  }

  @Test func ribctlAct_tellsRefusals() throws {
    let daemon = try Daemon()
    let (status, output, errors) = try Program.run(
      Program.url("ribctl"), ["act", daemon.url, "--app", "counter", "increment", "jump", "#7 reset", "decrement"])
    #expect(status == 1)
    #expect(output == Self.view(0) + "\n")
    #expect(errors.contains("(bad_action)") && errors.contains("There is no node 7. (gone)"))
  }

  @Test func ribctlConnect_showsTheViewAfterEachAction() throws {
    let daemon = try Daemon()
    let (status, output, errors) = try Program.run(
      Program.url("ribctl"), ["connect", daemon.url, "--app", "counter"],
      input: "increment\n@ decrement\n#1 reset\nfoo bar")
    #expect(status == 0)
    #expect(output.components(separatedBy: "Counter #1\n").count == 4, "\(output)")
    #expect(output.hasPrefix("Counter #1\n  count: 0\n  isNegative: false\n"))
    #expect(errors.contains("bar is no JSON"))
  }

  @Test func ribctl_saysWhyItCannotConnect() throws {
    let daemon = try Daemon()
    let unknown = try Program.run(Program.url("ribctl"), ["act", daemon.url, "--app", "nothing", "x"])
    let names = Showcase.apps.map(\.name).sorted().joined(separator: ", ")
    #expect(unknown.status != 0)
    #expect(unknown.errors.contains(#"There is no app "nothing" here. There is: \#(names)."#))
    let nobody = try Program.run(Program.url("ribctl"), ["act", "http://127.0.0.1:1", "--app", "counter", "x"])
    #expect(nobody.status != 0 && nobody.errors.lowercased().contains("connect"))
  }

  /// A server that is killed while it is busy: everybody comes back, and nothing is lost.
  @Test func ribctlLoad_outlivesTheServer() async throws {
    let directory = try TemporaryDirectory()
    let first = try Daemon(["--limits-actions-per-second", "0"], stateDirectory: directory.path)
    let load = Task {
      try await blocking {
        try Program.run(
          Program.url("ribctl"),
          [
            "load", first.url, "--app", "counter", "--clients", "8", "--seconds", "20", "increment", "decrement",
            "jump",
          ])
      }
    }
    let daemon = try await blocking {
      try waitUntil { try Self.actedCount(in: directory) == 8 }
      _ = first.stop(SIGKILL)
      return try Daemon(["--limits-actions-per-second", "0"], port: first.port, stateDirectory: directory.path)
    }
    let (status, output, errors) = try await load.value
    #expect(status == 0, "\(errors)")
    #expect(output.hasPrefix("8 clients, ") && output.contains(" 0 lost, 0 unknown, "), "\(output)")
    // One of them may be cut twice.
    #expect(output.hasSuffix(" returns\n"))
    let returns = output.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
    #expect(returns >= 8, "\(output)")
    #expect(daemon.stop() == 0)
    #expect(try Self.revision(in: directory) == 0, "each has ended its session")
  }

  /// The examples of PROTOCOL.md hold against the server, and what was said is what the schema says.
  @Test(.enabled(if: TestRun.includesTests(of: python), "make test sets RIB_PYTHON"))
  func protocolsExamples_areTrue_andFitTheSchema() throws {
    let daemon = try Daemon()
    let executable = URL(fileURLWithPath: try #require(Self.python))
    let scripts = repository.appendingPathComponent("Tests/Interop")
    let said = try Program.run(executable, [scripts.appendingPathComponent("examples.py").path, "\(daemon.port)"])
    #expect(said.status == 0, "\(said.output)\(said.errors)")
    #expect(said.output.split(separator: "\n").count > 50)
    let checked = try Program.run(executable, [scripts.appendingPathComponent("validate.py").path], input: said.output)
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    let wrong = try Program.run(
      executable, [scripts.appendingPathComponent("validate.py").path],
      input: #"{"from":"C","message":{"t":"act","n":0,"to":1,"a":{}}}"# + "\n")
    #expect(wrong.status == 1)
  }

  /// What is served is what the repository has, and PyPI's validator likes it.
  @Test(.enabled(if: TestRun.includesTests(of: python), "make test sets RIB_PYTHON"))
  func openAPI_isServed_andValid() throws {
    let daemon = try Daemon()
    let served = try TwinClient(daemon.url).ask("GET", "/v1/openapi.json")
    #expect(served.status == 200 && served.headers["Content-Type"] == "application/json")
    let file = repository.appendingPathComponent("Sources/RibServer/HTTP/openapi.json")
    #expect(served.body == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    let executable = URL(fileURLWithPath: try #require(Self.python))
    let script = repository.appendingPathComponent("Tests/Interop/openapi.py").path
    let checked = try Program.run(executable, [script])
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
  }

  /// What the twin answers, right or wrong, is what its description says.
  @Test(.enabled(if: TestRun.includesTests(of: python), "make test sets RIB_PYTHON"))
  func twinsAnswers_areAsDescribed() throws {
    let daemon = try Daemon()
    let executable = URL(fileURLWithPath: try #require(Self.python))
    let script = repository.appendingPathComponent("Tests/Interop/twin.py").path
    let (status, output, errors) = try Program.run(executable, [script, "\(daemon.port)"])
    #expect(status == 0, "\(errors)")
    #expect(
      output == """
        delete /v1/sessions/{sid} 204 401 404
        get /v1/apps 200
        get /v1/apps/{app}/schema 200 404
        get /v1/sessions/{sid}/events 200 401 404
        get /v1/sessions/{sid}/view 200 304 401 404
        post /v1/events 200 400
        post /v1/sessions 201 400 401 403 404 413
        post /v1/sessions/{sid}/actions 200 400 401 404 409 413
        put /v1/sessions/{sid}/auth 401 404

        """)
  }

  /// The client of docs/client.py arrives, however often the server is killed meanwhile.
  @Test(.enabled(if: TestRun.includesTests(of: python), "make test sets RIB_PYTHON"), .timeLimit(.minutes(5)))
  func pythonClient_losesNothing_whenTheServerIsKilled() async throws {
    let directory = try TemporaryDirectory()
    let first = try Daemon(["--limits-actions-per-second", "400"], stateDirectory: directory.path)
    let port = first.port
    let python = try #require(Self.python)
    let client = Task {
      try await blocking {
        let script = repository.appendingPathComponent("docs/client.py").path
        return try Program.run(
          URL(fileURLWithPath: python), [script, "ws://127.0.0.1:\(port)/v1/socket", "counter", "2000"])
      }
    }
    let end = End()
    // Also if the client fails: the killer would go on beside all the other tests.
    defer { end.reach() }
    let killer = Task {
      try await blocking {
        var daemon = first
        var kills = 0
        var actions = 0
        while !end.isReached {
          // Each time the client has got on.
          let now = try Self.revision(in: directory)
          guard now > actions + 150 else {
            Poll.pauseThread()
            continue
          }
          actions = now
          _ = daemon.stop(SIGKILL)
          kills += 1
          daemon = try Daemon(["--limits-actions-per-second", "400"], port: port, stateDirectory: directory.path)
        }
        return kills
      }
    }
    let (status, output, errors) = try await client.value
    end.reach()
    // How many there are depends on how fast the client is and on how soon the killer looks.
    #expect(try await killer.value > 0)
    #expect(status == 0, "\(errors)")
    #expect(
      output.contains(#""count": 2000"#) && output.contains(#""refused": []"#) && output.contains(#""unknown": []"#))
  }

  /// The revisions that sessions are at: each has one in its row, and a later one elsewhere.
  private static let revisions =
    "(SELECT id, rev FROM session UNION SELECT session, rev FROM change WHERE node = 0 AND seq = 0)"

  /// How far the session in a state directory is; 0 if there is none.
  private static func revision(in directory: TemporaryDirectory) throws -> Int {
    try number("SELECT max(rev) FROM \(revisions)", in: directory)
  }

  /// How many sessions have done something.
  private static func actedCount(in directory: TemporaryDirectory) throws -> Int {
    try number("SELECT count(DISTINCT id) FROM \(revisions) WHERE rev > 1", in: directory)
  }

  private static func number(_ sql: String, in directory: TemporaryDirectory) throws -> Int {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    return try DatabaseQueue(path: directory.store, configuration: configuration).read {
      try Int.fetchOne($0, sql: sql) ?? 0
    }
  }

  private final class End: Sendable {
    private let flag = Atomic(false)
    var isReached: Bool { flag.load(ordering: .relaxed) }
    func reach() { flag.store(true, ordering: .relaxed) }
  }
}
