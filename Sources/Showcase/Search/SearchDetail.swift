import RibCore

/// One item of those that were found.
struct SearchDetail: Riblet {
  static let typeName = "SearchDetail"

  enum ViewAction: String, Codable { case closeTapped }
  enum Output: Equatable { case closed }
  struct ViewState: Codable, Equatable { let item: String }

  let item: String

  func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> { .output(.closed) }
  func view(_ state: Void) -> ViewState { ViewState(item: item) }
}
