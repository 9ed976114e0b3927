import RibCore
import RibTesting
import Synchronization
import Testing
import Wire

/// What a recording has of actions with secrets.
struct TransactionRecorderTests {
  /// A recorded session of a ``Vault``.
  private final class Recorded {
    let tree: Tree
    private let renderer = ViewRenderer()
    private let bytes = Mutex<[UInt8]>([])

    init(
      _ tree: Tree = Tree(root: Vault(), session: "s"), gate: ((SeenAction) -> ActionDecision)? = nil,
      restoring snapshot: TreeSnapshot? = nil
    ) throws {
      self.tree = tree
      tree.gate = gate
      let header = SessionRecording.Header(build: "test", app: "vault", session: "s", parameters: nil)
      tree.recorder = TransactionRecorder(header) { [unowned self] line in bytes.withLock { $0 += line } }
      if let snapshot {
        _ = try tree.restore(snapshot, rendering: renderer)
      } else {
        _ = try tree.start(rendering: renderer)
      }
    }

    func act(_ action: String, to address: NodeAddress = .path("")) throws -> [EffectCommand] {
      let action = try StateCoder.read(action)
      return try tree.perform(action, for: address, by: ActingClient(), rendering: renderer)
    }

    func deliver(_ report: EffectReport) throws { _ = try tree.receive(report, rendering: renderer) }

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    /// The actions, in order.
    func actions() throws -> [String] {
      try SessionRecording(parsing: Array(text.utf8)).lives[0].entries.compactMap { entry in
        if case .act(_, _, let action) = entry.transaction.event { action } else { nil }
      }
    }
  }

  @Test func secret_isNull_andIsReplayedAsNoValue() throws {
    let recorded = try Recorded()
    _ = try recorded.act(#"{"open":{"name":"Ada","code":"1234"}}"#)
    _ = try recorded.act(#"{"check":"1234"}"#)
    #expect(try recorded.actions() == [#"{"open":{"name":"Ada","code":null}}"#, #"{"check":null}"#])
    #expect(!recorded.text.contains("1234"))
    let recording = try SessionRecording(parsing: Array(recorded.text.utf8))
    // The reducer has drawn what it has to know of the secret, and the recording has that.
    let replayed = try TestSession.replay(recording, root: Vault())
    #expect(replayed.viewState()?["isLong"] == .bool(true))
    #expect(replayed.viewState()?["tries"] == .integer(1))
  }

  @Test func report_ofAnEffect_hasNoSecret() async throws {
    let recorded = try Recorded()
    let commands = try recorded.act(#"{"open":{"name":"Ada","code":"1234"}}"#)
    guard case .start(let effect)? = commands.first else {
      Issue.record("No effect was started.")
      return
    }
    let reports = Mutex<[EffectReport]>([])
    try await effect.run { report in reports.withLock { $0.append(report) } }
    for report in reports.withLock({ $0 }) { try recorded.deliver(report) }
    #expect(recorded.text.contains(#"{"told":{"_0":null}}"#))
    #expect(recorded.text.contains("Ada: true"))
    #expect(!recorded.text.contains("1234"))
  }

  @Test(arguments: [
    (#"{"open":{"name":"Ada","code":"1234"}}"#, NodeAddress.id(99)),
    (#"{"open":{"name":"Ada","code":"1234"}}"#, .path("nowhere[0]")),
    (#"{"opne":{"name":"Ada","code":"1234"}}"#, .path("")),
    (#"{"open":{"name":["1234"],"code":"1234"}}"#, .path("")),
    (#""1234""#, .path("")),
    (#"{"1234":{}}"#, .path("")),
    (#"["1234"]"#, .path("")),
    (#"{"count":1234e400}"#, .path("")),
  ])
  func action_thatIsNotDecoded_isNull(action: String, address: NodeAddress) throws {
    let recorded = try Recorded()
    #expect(throws: Refusal.self) { try recorded.act(action, to: address) }
    #expect(try recorded.actions() == ["null"])
    #expect(!recorded.text.contains("1234"))
    let recording = try SessionRecording(parsing: Array(recorded.text.utf8))
    try TestSession.replay(recording, root: Vault())
  }

  @Test func action_thatMiddlewareRefuses_hasNoSecret() throws {
    let recorded = try Recorded(gate: { .refuse("Not \($0.action).") })
    #expect(throws: Refusal(.refused, "Not check(•••).")) { try recorded.act(#"{"check":"1234"}"#) }
    #expect(try recorded.actions() == [#"{"check":null}"#])
    #expect(!recorded.text.contains("1234"))
  }

  @Test func action_withoutSecret_isKept() throws {
    let recorded = try Recorded()
    _ = try recorded.act(#"{"count": 7}"#)
    #expect(try recorded.actions() == [#"{"count":7}"#])
  }

  /// Counts, and takes no secret.
  private struct Counter: Riblet {
    static let typeName = "Counter"
    enum ViewAction: Decodable { case add(Int) }
    func makeState() -> Int { 0 }
    func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
    func view(_ count: Int) -> Int { count }
  }

  @Test func action_ofATypeWithoutSecrets_isKeptAsItIs() throws {
    let recorded = try Recorded(Tree(root: Counter(), session: "s"))
    let actions = [#"{"add": 1}"#, #"{ "add":{"_0":2,"note":"besides"}}"#, #"{"ad":1}"#, #""ad""#, "[1]"]
    for action in actions { _ = try? recorded.act(action) }
    _ = try? recorded.act(#"{"add":1}"#, to: .id(99))
    #expect(try recorded.actions() == actions + [#"{"add":1}"#])
  }

  /// An action for the ``Vault`` may go astray: to its parent, also when it is gone.
  @Test func actions_besideOneThatTakesSecrets_areKeptAsTheyAreRead() throws {
    let parent = Scripted(
      state: Slot(NoConfig()), routes: [Route("vault", \.self) { Child(Vault()) }], changes: ["close": { $0.detach() }])
    let recorded = try Recorded(Tree(root: parent, session: "s"))
    let open = #"{"open":{"name":"Ada","code":"1234"}}"#
    _ = try recorded.act(open, to: .path("vault"))
    #expect(throws: Refusal.self) { try recorded.act(open) }
    _ = try recorded.act(#""close""#)
    #expect(throws: Refusal.self) { try recorded.act(open) }
    #expect(throws: Refusal.self) { try recorded.act(open, to: .path("vault")) }
    let expected = [#"{"open":{"name":"Ada","code":null}}"#, "null", #""close""#, "null", "null"]
    #expect(try recorded.actions() == expected)
  }

  /// The riblet that the action is for was there before the session left memory, and is gone.
  @Test func actionForOneOfAnEarlierLife_isNotKept() throws {
    let parent = Scripted(
      state: Slot(NoConfig()), routes: [Route("vault", \.self) { Child(Vault()) }], changes: ["close": { $0.detach() }])
    let earlier = try Recorded(Tree(root: parent, session: "s"))
    _ = try earlier.act(#""close""#)
    let recorded = try Recorded(Tree(root: parent, session: "s"), restoring: earlier.tree.snapshot())
    let open = #"{"open":{"name":"Ada","code":"1234"}}"#
    #expect(throws: Refusal.self) { try recorded.act(open, to: .path("vault")) }
    #expect(throws: Refusal.self) { try recorded.act(open) }
    _ = try recorded.act(#""close""#)
    #expect(try recorded.actions() == ["null", "null", #""close""#])
  }

  @Test func eventAfterAnAction_isItsOwn() throws {
    let recorded = try Recorded()
    _ = try recorded.act(#"{"count":7}"#)
    _ = try recorded.tree.setActive(false, rendering: ViewRenderer())
    let last = try SessionRecording(parsing: Array(recorded.text.utf8)).lives[0].entries.last
    #expect(last?.transaction.event == .setActive(false))
  }
}
