import CurlTransport
import Foundation
import RibCore
import RibServer
import RibTestSupport
import RibTesting
import Testing
import Wire

/// A password that a client sends is in no file that the server writes, and in nothing that it says.
@Suite struct SecretTests {
  private static let password = "swordf1sh-of-the-t3st"

  /// They are kept with the session.
  @Test func parameters_haveNoSecret() async {
    await #expect(processExitsWith: .failure) {
      struct Parameters: Decodable { let name: String, password: Secret<String> }
      _ = App("login", parameters: Parameters.self) { (_: Parameters) in RecordingTests.Dice() }
    }
  }

  /// Actions that hold the password where it belongs, and where it does not; the number that each gets is its place.
  private static let actions: [(action: String, to: String)] = [
    (#"{"signInTapped":{"name":"Ada","password":"\#(password)"}}"#, #""login""#),
    (#"{"signInTapped":{"name":"Ada","password":"\#(password)"}}"#, "99"),
    (#"{"signInTapped":{"name":"Ada","password":"\#(password)"}}"#, #""nowhere[0]""#),
    (#"{"signInTapped":{"name":"Ada","password":"\#(password)"}}"#, #""""#),
    (#"{"signInTapped":{"name":"Ada","password":["\#(password)"]}}"#, #""login""#),
    (#"{"signInTapped":{"name":"Ada","password":{"\#(password)":1}}}"#, #""login""#),
    (#"{"signInTapped":{"name":{"\#(password)":"\#(password)"},"password":"\#(password)"}}"#, #""login""#),
    (#"{"signInTapped":{"name":"Ada","pasword":"\#(password)"}}"#, #""login""#),
    (#"{"signInTapped":{"name":"Ada","password":"tuna","pasword":"\#(password)"}}"#, #""login""#),
    (#"{"signInTapped":{"name":"Ada","password":"\#(password)","password":"tuna"}}"#, #""login""#),
    (#"{"signInTapped":"\#(password)"}"#, #""login""#),
    (#"{"signIn":{"password":"\#(password)"}}"#, #""login""#),
    (#"{"signInTapped":{},"password":"\#(password)"}"#, #""login""#),
    (#"{"\#(password)":{}}"#, #""login""#),
    (#"["\#(password)"]"#, #""login""#),
    (#""\#(password)""#, #""login""#),
  ]

  /// Every file below the directories that has the password.
  private func filesWithPassword(in directories: [String]) throws -> [String] {
    let needle = Data(Self.password.utf8)
    var found: [String] = []
    for directory in directories {
      for file in try FileManager.default.subpathsOfDirectory(atPath: directory) {
        guard let content = FileManager.default.contents(atPath: "\(directory)/\(file)") else { continue }
        if content.range(of: needle) != nil { found.append(file) }
      }
    }
    return found
  }

  /// Sends each action, and takes what the server answers; the connection stays open.
  private func play(_ url: String) throws -> (client: PlainClient, said: [String]) {
    let client = try PlainClient(url, app: "login")
    var said = [client.greeting]
    for (index, (action, to)) in Self.actions.enumerated() {
      let number = index + 1
      try client.act(number, action, to: to)
      repeat { said.append(try client.next()) } while !said[said.count - 1].contains(#""n":\#(number),"#)
    }
    return (client, said)
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func password_isInNoFile_andInNoAnswer(signal: Int32) async throws {
    let directory = Daemon.makeDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for name in ["state", "recordings", "logs"] {
      try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
    }
    try await blocking {
      let arguments = ["--record", "\(directory)/recordings", "--log-level", "trace"]
      let daemon = try Daemon(
        arguments, stateDirectory: "\(directory)/state", log: "\(directory)/logs/first")
      let (client, said) = try play(daemon.url)
      #expect(said.filter { $0.contains(Self.password) } == [])
      #expect(said.count { $0.contains(#""code":"bad_action""#) } > 8)
      // Over HTTP as well.
      let twin = try TwinClient(daemon.url)
      _ = try twin.create(#"{"app":"login"}"#)
      let bodies =
        Self.actions.map { #"{"to":\#($0.to),"a":\#($0.action)}"# } + [#"{"to":"login","a":"\#(Self.password)"#]
      for (index, body) in bodies.enumerated() {
        #expect(try !twin.act("\(index + 1)", body).body.contains(Self.password))
      }
      _ = try client.welcome
      _ = daemon.stop(signal)
      #expect(try filesWithPassword(in: [directory]) == [])
      let log = try String(contentsOfFile: "\(directory)/logs/first", encoding: .utf8)
      #expect(log.contains("An action was refused."))

      // What was stored of the refusals and of the interrupted effect is told again, and kept again.
      let next = try Daemon(
        arguments, port: daemon.port, stateDirectory: "\(directory)/state", log: "\(directory)/logs/next")
      let back = try PlainClient(next.url, resuming: try client.welcome, attempt: 1)
      #expect(!back.greeting.contains(Self.password))
      #expect(try back.welcome.nacks.isEmpty == false)
      _ = next.stop()
      #expect(try filesWithPassword(in: [directory]) == [])
    }
  }

  @Test func recording_withASecret_isReplayed() async throws {
    let directory = Daemon.makeDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await blocking {
      let daemon = try Daemon(["--record", directory])
      let client = try PlainClient(daemon.url, app: "login")
      try client.act(1, Self.actions[0].action, to: Self.actions[0].to)
      _ = try client.all(until: #"{"t":"patch","rev":3"#)
      let id = try client.welcome.sessionID
      #expect(daemon.stop() == 0)
      let recording = try SessionRecording(contentsOf: "\(directory)/\(id).jsonl")
      let actions = recording.lives[0].entries.compactMap { entry in
        if case .act(_, _, let action) = entry.transaction.event { action } else { nil }
      }
      #expect(actions == [#"{"signInTapped":{"name":"Ada","password":null}}"#])
      let shown = try Program.run(Program.url("ribctl"), ["replay", "\(directory)/\(id).jsonl"])
      #expect(shown.status == 0)
      #expect(shown.output.contains("Name or password is wrong."))
    }
  }
}
