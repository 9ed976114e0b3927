import CurlTransport
import Foundation
import RibTestSupport
import Testing
import Wire
import WireHTTP

@testable import RibDaemon
@testable import RibServer

/// The daemon as a process: its flags, its settings, its end.
@Suite(.blocking) struct RibdTests {
  private static func get(_ url: String, _ request: String) throws -> String {
    let socket = try CurlSocket(url: url)
    try socket.send(Array(request.utf8))
    var buffer = ReceiveBuffer()
    while try socket.receive(into: &buffer) {}
    return buffer.text
  }

  @Test func version_isPrinted() throws {
    let (status, output, _) = try Program.run(Program.url("ribd"), ["--version"])
    #expect(status == 0 && output == "\(Server.version)\n")
  }

  @Test(arguments: ["ribd", "ribd-cluster"]) func help_namesTheProgram_andEverySetting(_ program: String) throws {
    let (status, output, _) = try Program.run(Program.url(program), ["--help"])
    #expect(status == 0)
    #expect(output.contains("USAGE: \(program) ") && output.contains("\(program) help <subcommand>"))
    let (_, restore, _) = try Program.run(Program.url(program), ["help", "restore"])
    #expect(restore.contains("USAGE: \(program) restore ") && restore.contains("`\(program) backup`"))
    for setting in Setting.ofDaemon { #expect(output.contains("--\(setting.flag) "), "\(setting.key)") }
    // What is too long for a line goes on in the next.
    let words = output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for setting in Setting.ofDaemon {
      #expect(words.contains(setting.summary), "\(setting.key)")
      if case .flag = setting.kind { continue }
      #expect(words.contains("\(setting.summary) (default: \(setting.preset))"))
    }
  }

  @Test func health_isAnsweredOverAndOverOnOneConnection() throws {
    let daemon = try Daemon()
    let one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let last = "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    let answers = try Self.get(daemon.url, one + one + last)
    #expect(answers.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 4)
    #expect(answers.components(separatedBy: "\r\n\r\nok\n").count == 3)
  }

  @Test func daemonWithoutDescriptors_waitsWithoutASpin() throws {
    let daemon = try Daemon(descriptors: 48)
    var sockets = try (0..<80).map { _ in try CurlSocket(url: daemon.url) }
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    // The system has taken the last one, the daemon has not.
    let last = try #require(sockets.last)
    try last.send(Array(request.utf8))
    var buffer = ReceiveBuffer()
    let before = daemon.processorTime
    #expect(throws: CurlError.timedOut) { try last.receive(into: &buffer, timeout: 1000) }
    #expect(daemon.processorTime - before <= 20)
    sockets.removeFirst(60)
    while try last.receive(into: &buffer) {}
    #expect(buffer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func signal_endsItCleanly_andClientsAreTold(_ signal: Int32) throws {
    let daemon = try Daemon()
    do {
      let socket = try CurlWebSocket.counter(daemon.url)
      kill(daemon.pid, signal)
      #expect(try socket.text()?.hasPrefix(#"{"t":"bye","code":"shutdown""#) == true)
      guard case .closed(let code, _) = try socket.receive() else { throw CancellationError() }
      #expect(code == Bye.shutdown.closeCode)
    }
    #expect(daemon.stop(0) == 0)
  }

  /// The server's log goes to nobody then.
  @Test func daemonWhoseLogNobodyReads_goesOn() throws {
    let directory = try TemporaryDirectory()
    let log = "\(directory.path)/log"
    #expect(mkfifo(log, 0o600) == 0)
    let reader = open(log, O_RDONLY | O_NONBLOCK)
    let daemon = try Daemon(["--log-level", "info"], log: log)
    close(reader)
    // It logs that it stops.
    #expect(daemon.stop() == 0)
  }

  @Test func settings_comeFromFlagBeforeEnvironmentBeforeFile() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("ribd-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let json = #"{"limits":{"messageBytes":1001,"actionsPerSecond":1002,"actionBurst":1003}}"#
    try Data(json.utf8).write(to: file)
    let daemon = try Daemon(
      ["--config", file.path, "--limits-action-burst", "3003"],
      environment: ["RIBD_LIMITS_ACTIONS_PER_SECOND": "2002", "RIBD_LIMITS_ACTION_BURST": "2003"])
    let socket = try CurlWebSocket(url: daemon.url)
    try socket.send(#"{"t":"hello","app":"counter"}"#)
    #expect(
      try socket.text()?.contains(#""limits":{"messageBytes":1001,"actionsPerSecond":2002,"actionBurst":3003}"#) == true
    )
  }

  @Test(arguments: [
    (["--port", "99999"], "must be from 0 to 65535"), (["--port", "x"], "invalid"),
    (["--log-level", "loud"], "There is no log level"), (["--config", "/nowhere.json"], "/nowhere.json"),
    (["--limits-actoins", "1"], "Unknown option"), (["--host", "256.0.0.1", "--port", "0"], "256.0.0.1"),
    (["--limits-message-bytes", "0"], "must be from 1 to 4294967295"), (["--store", "x"], "one of memory, sqlite"),
    (["--auth-mode", "oidc"], "There is no auth.mode \"oidc\""),
    (["--auth-issuer", "https://id.example.com"], "auth.issuer is set, and auth.mode is none"),
    (["--auth-mode", "jwt"], "issuer is empty"),
    (["--auth-mode", "jwt", "--auth-issuer", "i", "--auth-audience", "a"], "set keysURL (or \"discover\")"),
    (
      ["--auth-mode", "jwt", "--auth-issuer", "i", "--auth-audience", "a", "--auth-keys-url", "http://id.example.com"],
      "use https"
    ),
    (["--auth-mode", "jwt", "--auth-required", "maybe"], "must be true or false"),
    (["--auth-mode", "jwt", "--auth-algorithms", "none"], "names of RFC 7518"),
    (["--auth-mode", "jwt", "--auth-leeway-seconds", "soon"], "must be a whole number"),
    (["--auth-cookie", "session"], "__Host-"), (["--auth-cookie", "__Host-s", "--origins", "*"], "auth.cookie is set"),
  ])
  func badSetting_isAClearError(_ arguments: [String], _ says: String) throws {
    let (status, _, errors) = try Program.run(Program.url("ribd"), arguments)
    #expect(status != 0)
    #expect(errors.contains(says), "\(errors)")
  }

  @Test func unknownSetting_isAClearError() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("ribd-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(#"{"limit":{"conections":1}}"#.utf8).write(to: file)
    let inFile = try Program.run(Program.url("ribd"), ["--port", "0", "--config", file.path])
    #expect(inFile.status != 0)
    #expect(
      inFile.errors.contains(#"There is no setting "limit.conections"; the nearest is "limits.connections"."#),
      "\(inFile.errors)")
    let inEnvironment = try Program.run(
      Program.url("ribd"), ["--port", "0"], environment: ["RIBD_LIMTS_SESSIONS": "1"])
    #expect(inEnvironment.status != 0)
    #expect(
      inEnvironment.errors.contains(
        #"There is no setting "RIBD_LIMTS_SESSIONS"; the nearest is "RIBD_LIMITS_SESSIONS"."#),
      "\(inEnvironment.errors)")
  }

  @Test func takenPort_isAClearError() throws {
    let daemon = try Daemon()
    let (status, _, errors) = try Program.run(Program.url("ribd"), ["--port", "\(daemon.port)"])
    #expect(status != 0)
    #expect(errors.contains("listen on 127.0.0.1:\(daemon.port): Address already in use"), "\(errors)")
  }
}
