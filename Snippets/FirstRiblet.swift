// The riblet of the article "A first riblet", a test of it, and an app with it at the root.
import RibCore
import RibServer
import RibTesting
import Testing
import Wire

struct Counter: Riblet {
  static let typeName = "Counter"
  enum ViewAction: Decodable { case increment, decrement }
  struct ViewState: Encodable, Equatable { let count: Int }

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .increment: count += 1
    case .decrement: count -= 1
    }
    return .none
  }

  func view(_ count: Int) -> ViewState { ViewState(count: count) }
}

func increment_showsOne() throws {
  let session = try TestSession(Counter())
  try session.act(#""increment""#)
  precondition(session.view["nodes"]?["1"]?["state"]?["count"] == .integer(1))
}

let app = App("counter") { Counter() }
