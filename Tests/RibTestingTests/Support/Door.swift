import RibCore

struct Door: Riblet {
  static let typeName = "Door"
  enum ViewAction: Decodable { case knock }
  enum Output { case knocked(any Error.Type) }

  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> {
    .output(.knocked(CancellationError.self))
  }
  func view(_ state: Void) -> String { "a door" }
}
