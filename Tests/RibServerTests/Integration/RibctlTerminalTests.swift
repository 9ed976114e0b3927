import Foundation
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// Whatever others have written, the real `ribctl` prints nothing that a terminal obeys.
@Suite(.blocking, .timeLimit(.minutes(5))) struct RibctlTerminalTests {
  /// Shows and says what a stranger might.
  private struct Evil: Riblet {
    static let typeName = "Evil"
    static let text = "a\u{9B}31m\u{9D}\u{7F}\u{1B}[2J\u{202E}\nb"
    static let seen = #"a\u009b31m\u009d\u007f\u001b[2J\u202e\nb"#
    enum ViewAction: String, Codable, Sendable { case show, refuse }
    struct State: Codable, Equatable, Sendable { var texts: [String: String] = [:] }
    func makeState() -> State { State() }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      if viewAction == .refuse { return .refuse(Self.text) }
      state.texts[Self.text] = Self.text
      return .none
    }
    func view(_ state: State) -> State { state }
  }

  private func expectVisible(_ result: (status: Int32, output: String, errors: String)) {
    for text in [result.output, result.errors] {
      #expect(text.unicodeScalars.allSatisfy { $0.isVisible || $0 == "\n" }, "\(text.visible)")
    }
  }

  @Test func wordsOfASession_doNothingToTheTerminal() async throws {
    try await withServer(apps: [App("evil") { Evil() }]) { _, url in
      try await blocking {
        let act = try Program.run(Program.url("ribctl"), ["act", url, "--app", "evil", "show", "refuse"])
        expectVisible(act)
        #expect(
          act.status == 1 && act.errors.hasPrefix("refused: ") && act.errors.hasSuffix(": \(Evil.seen) (refused)\n"),
          "\(act.errors)")
        // What scripts read stays JSON.
        let view = try JSONValue(parsing: act.output.trimmingCharacters(in: .newlines))
        #expect(view["nodes"]?["1"]?["state"]?["texts"]?[Evil.text] == .string(Evil.text))
        let connect = try Program.run(
          Program.url("ribctl"), ["connect", url, "--app", "evil"], input: "show\nrefuse\n\n")
        expectVisible(connect)
        #expect(connect.status == 0 && connect.output.contains(Evil.seen) && connect.errors.contains(Evil.seen))
      }
    }
  }

  /// The sentence of a `bye`, and the names of files.
  @Test func whatEndsACommand_doesNothingToTheTerminal() async throws {
    try await withServer(apps: []) { _, url in
      try await blocking {
        let unknown = try Program.run(Program.url("ribctl"), ["act", url, "--app", Evil.text, "show"])
        expectVisible(unknown)
        #expect(unknown.status == 1 && !unknown.errors.isEmpty)
        for arguments in [["replay", Evil.text], ["act", Evil.text, "--app", "a", "b"], [Evil.text]] {
          let result = try Program.run(Program.url("ribctl"), arguments)
          expectVisible(result)
          #expect(result.status != 0 && result.errors.contains("Error: "), "\(result.errors)")
        }
        let help = try Program.run(Program.url("ribctl"), ["--help"])
        #expect(help.status == 0 && help.output.contains("SUBCOMMANDS") && help.errors.isEmpty)
      }
    }
  }
}
