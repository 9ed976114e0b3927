import RibCore
import RibTesting
import Testing
import Wire

extension InteractorTests {
  /// A shelf that guests may look at, clerks may fill, and only its owner may lock.
  struct Shelf: Riblet {
    static let typeName = "Shelf"
    struct State: Codable, Equatable, Sendable {
      var books = 0
      var isLocked = false
    }
    enum ViewAction: Codable, Sendable { case add, lock }

    func makeState() -> State { State() }

    func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool {
      switch viewAction {
      case .add: client.roles.contains("clerk") && !state.isLocked
      case .lock: client.subject == "ada"
      }
    }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .add: state.books += 1
      case .lock: state.isLocked = true
      }
      return .none
    }

    func view(_ state: State) -> State { state }
  }

  private static let clerk = ActingClient(id: 2, subject: "bob", roles: ["clerk"])

  @Test func authorize_isAskedWithClientAndState() {
    let test = TestRiblet(Shelf())
    test.sendForbidden(.add)
    test.send(.add, as: Self.clerk) { $0.books = 1 }
    test.sendForbidden(.lock, as: Self.clerk)
    test.send(.lock, as: ActingClient(subject: "ada")) { $0.isLocked = true }
    test.sendForbidden(.add, as: Self.clerk)
  }

  @Test func forbiddenAction_isRefusedAndChangesNothing() throws {
    let session = try TestSession(Shelf())
    #expect(throws: Refusal.notAuthorized) { try session.act("\"add\"") }
    try session.act("\"add\"", as: Self.clerk)
    #expect(session.viewState()?["books"] == .integer(1))
  }

  @Test func middleware_isAskedFirst() throws {
    let seen = Seen()
    let session = try TestSession(Shelf())
    session.tree.gate = { action in
      seen.note()
      return .pass
    }
    #expect(throws: Refusal.notAuthorized) { try session.act("\"add\"") }
    #expect(seen.count == 1)
  }

  private final class Seen {
    private(set) var count = 0
    func note() { count += 1 }
  }
}
