import RibCore

/// Decodes its action by hand, in vain.
struct Picky: Riblet {
  static let typeName = "Picky"

  struct ViewAction: Decodable {
    struct Disdain: Error, CustomStringConvertible { var description: String { "nothing is good enough" } }
    init(from decoder: any Decoder) throws { throw Disdain() }
  }

  func makeState() {}
  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> { .none }
  func view(_ state: Void) -> Int { 0 }
}
