import Foundation
import RibCore
import RibTesting
import Testing
import Wire

struct TestSessionReplayTests {
  /// All kinds of events, and draws of all kinds.
  private func play() async throws -> RecordedSession {
    let recorded = try RecordedSession(Casino())
    let session = recorded.session
    try session.act(#""rollTapped""#)
    try session.act(#""ticketTapped""#)
    try session.act(#"{"asked":"why"}"#)
    try await session.runNextEffect()
    try session.act(#""sequenceTapped""#)
    try await session.runNextEffect()
    try session.act(#""brooded""#)
    try await session.runNextEffect()
    #expect(try session.refusal(of: #""unknown""#).code == .badAction)
    #expect(try session.refusal(of: #""rollTapped""#, to: .id(99)).code == .gone)
    try session.act(#""doorTapped""#)
    try session.act(#""leaveTapped""#, at: "table")
    try await session.runNextEffect()
    try session.act(#""doorTapped""#)
    try session.back()
    try session.setActive(false)
    try session.setActive(true)
    return recorded
  }

  @Test func replay_goesTheSameWay() async throws {
    let recorded = try await play()
    let replayed = try TestSession.replay(try recorded.recording(), root: Casino())
    #expect(replayed.view == recorded.session.view)
    #expect(replayed.tree.transactionCount == recorded.session.tree.transactionCount)
    guard case .array(let answers)? = recorded.session.viewState()?["answers"] else { throw Lost() }
    #expect(answers.count == 3)
  }

  /// Whatever form an effect has, also without a name: what it has sent, and its end, are found again.
  @Test(arguments: Forms.ViewAction.allCases) func effect_isReplayed(_ form: Forms.ViewAction) async throws {
    let recorded = try RecordedSession(Forms())
    for _ in 0..<2 { try recorded.session.act("\"\(form.rawValue)\"") }
    while !recorded.session.pendingEffects.isEmpty {
      do {
        try await recorded.session.runNextEffect()
      } catch is Refusal {
        #expect(form == .refused)
      }
    }
    #expect((recorded.session.viewState()?["count"] == .integer(0)) == (form == .refused))
    let replayed = try TestSession.replay(try recorded.recording(), root: Forms())
    #expect(replayed.view == recorded.session.view)
    #expect(replayed.tree.transactionCount == recorded.session.tree.transactionCount)
  }

  @Test func recordedClient_isWhoActsAgain() throws {
    let recorded = try RecordedSession(Counted())
    recorded.session.tree.recorder?.client = .init(id: 2, number: 1, subject: "ada", roles: ["clerk", "guest"])
    try recorded.session.act("\"add\"", as: ActingClient(id: 2, subject: "ada", roles: ["clerk", "guest"]))
    #expect(recorded.text.contains(#""client":2,"n":1,"subject":"ada","roles":["clerk","guest"]"#), "\(recorded.text)")
    let replayed = try TestSession.replay(try recorded.recording(), root: Counted())
    #expect(replayed.view == recorded.session.view)
  }

  /// Counts what a clerk does.
  private struct Counted: Riblet {
    static let typeName = "Counted"
    enum ViewAction: Codable, Sendable { case add }
    struct State: Codable, Equatable, Sendable { var count = 0 }
    func makeState() -> State { State() }
    func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
      client == ActingClient(id: 2, subject: "ada", roles: ["clerk", "guest"])
    }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      state.count += 1
      return .none
    }
    func view(_ state: State) -> State { state }
  }

  private struct Lost: Error {}

  @Test func replay_goesOnAfterEachReturnIntoMemory() async throws {
    let recorded = try await play()
    try recorded.session.act(#"{"asked":"again"}"#)
    try recorded.wake(as: Casino())
    try recorded.act(#""rollTapped""#)
    try recorded.act(#""ticketTapped""#)
    let recording = try recorded.recording()
    #expect(recording.lives.count == 2)
    let replayed = try TestSession.replay(recording, root: Casino())
    #expect(replayed.view == (try recorded.session.snapshot()))
    #expect(replayed.tree.session == "s")
  }

  @Test func otherRiblet_failsAtTheFirstTransactionThatDiffers() throws {
    let recorded = try RecordedSession(Casino())
    try recorded.session.act(#"{"asked":"nothing"}"#)
    try recorded.session.act(#""ticketTapped""#)
    try recorded.session.act(#""rollTapped""#)
    let recording = try recorded.recording()
    let texts = try failures { try TestSession.replay(recording, root: Casino(isSoldOut: true)) }
    #expect(texts.count == 1)
    let text = try #require(texts.first)
    #expect(
      text.hasPrefix(#"Line 4 of the recording, transaction 3, an action, "ticketTapped" to the root:"#), "\(text)")
    #expect(text.contains("+") && text.contains("sold out"), "\(text)")
    #expect(text.contains("(expected: −, actual: +)"))
  }

  @Test func ribletThatDrawsMore_isSaidToDoSo() throws {
    let recorded = try RecordedSession(Casino(isSoldOut: true))
    try recorded.session.act(#""ticketTapped""#)
    let recording = try recorded.recording()
    let texts = try failures { try TestSession.replay(recording, root: Casino()) }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("A reducer draws uuid, and did not then") == true, "\(texts)")
  }

  @Test func refusalThatIsNoneAnyMore_isSaid() throws {
    let recorded = try RecordedSession(Casino())
    #expect(try recorded.session.refusal(of: #""broded""#).code == .badAction)
    let text = recorded.text.replacing("broded", with: "brooded")
    let texts = try failures { try TestSession.replay(try SessionRecording(parsing: Array(text.utf8)), root: Casino()) }
    #expect(texts.first?.contains("It was refused as bad_action") == true, "\(texts)")
    #expect(texts.first?.contains("and is applied now.") == true, "\(texts)")
    let back = recorded.text.replacing("bad_action", with: "inactive")
    let others = try failures {
      try TestSession.replay(try SessionRecording(parsing: Array(back.utf8)), root: Casino())
    }
    #expect(others.first?.contains("and is as bad_action") == true, "\(others)")
  }

  @Test func effectThatSendsWhatCannotBeRecorded_isNamed() async throws {
    let recorded = try RecordedSession(Secretive())
    try recorded.session.act(#""asked""#)
    try await recorded.session.runNextEffect()
    let recording = try recorded.recording()
    let texts = try failures { try TestSession.replay(recording, root: Secretive()) }
    #expect(texts.count == 1)
    #expect(
      texts.first?.contains(
        "An effect of Secretive has sent answered(7), which the recording has in words only. Make the InternalAction of "
          + "Secretive Codable") == true, "\(texts)")
  }

  @Test func effectThatDoesNotRunAnyMore_isSaid() async throws {
    let recorded = try RecordedSession(Casino())
    try recorded.session.act(#"{"asked":"why"}"#)
    try await recorded.session.runNextEffect()
    let recording = try recorded.recording()
    let texts = try failures { try TestSession.replay(recording, root: Casino(isMute: true)) }
    #expect(texts.first?.contains("Casino 1 does not run the effect ask") == true, "\(texts)")
  }

  @Test func walk_isSaidToBeCode() async throws {
    let recorded = try RecordedSession(Casino())
    try await recorded.session.walk(from: Casino.self) { root in
      try await root.update { state in
        state.pips = 7
        return .none
      }
    }
    let recording = try recorded.recording()
    let texts = try failures { try TestSession.replay(recording, root: Casino()) }
    #expect(texts.first?.contains("A walk has changed Casino 1 here.") == true, "\(texts)")
  }

  @Test func recordingOnDisk_isRead() throws {
    let recorded = try RecordedSession(Casino())
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    try recorded.text.write(to: file, atomically: true, encoding: .utf8)
    let recording = try SessionRecording(contentsOf: file.path)
    try TestSession.replay(recording, root: Casino())
    #expect(try recorded.recording() == recording)
    #expect(throws: (any Error).self) { try SessionRecording(contentsOf: "/no/such/file") }
  }
}
