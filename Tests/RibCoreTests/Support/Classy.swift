import RibCore

final class Classy: Riblet {
  static let typeName = "Classy"
  enum ViewAction: String, Decodable { case tap }
  enum InternalAction: Sendable { case tapped }

  func makeState() -> Int { 0 }

  func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Classy> {
    count += 1
    return .run { send in await send(.tapped) }
  }

  func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Classy> {
    count += 1
    return .none
  }

  func view(_ count: Int) -> Int { count }
}
