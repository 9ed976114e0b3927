import RibCore
import RibTesting
import Testing

/// How children whose states are parts of their parent's are found again.
struct RouteSourceTests {
  /// An id without a coding, of which several are written alike.
  struct Seat: Hashable, Sendable, CustomStringConvertible {
    let number: Int
    var description: String { number < 2 ? "front" : "back" }
  }

  private struct Guest: Riblet {
    static let typeName = "Guest"

    struct State: Codable, Identifiable {
      let number: Int
      var id: Seat { Seat(number: number) }
    }

    func makeState() -> State { State(number: 0) }
    func view(_ state: State) -> Int { state.number }
  }

  private struct Table: Riblet {
    static let typeName = "Table"
    struct State: Codable { var guests: [Guest.State] }
    enum ViewAction: Decodable { case leave(Int) }
    struct ViewState: Encodable, Equatable {}

    var routes: [Route<Self>] { [Route("guests", \.guests) { _ in Child(Guest()) }] }
    func makeState() -> State { State(guests: (0..<4).map { Guest.State(number: $0) }) }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      if case .leave(let number) = viewAction { state.guests.removeAll { $0.number == number } }
      return .none
    }

    func view(_ state: State) -> ViewState { ViewState() }
  }

  @Test func elements_whoseIdsAreWrittenAlike_areAllRestored() throws {
    let session = try TestSession(Table())
    #expect(try session.ids(on: "guests") == [2, 3, 4, 5])
    try session.act(#"{"leave":0}"#)
    let restored = try TestSession(Table(), restoring: try session.savedSnapshot())
    #expect(restored.restoreReport?.lost.isEmpty == true)
    #expect(try restored.ids(on: "guests") == [3, 4, 5])
    #expect(restored.view == session.view)
  }
}
