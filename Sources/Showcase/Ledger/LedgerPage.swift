import RibCore

/// A page of the ledger: one that is opened again is another page, and what is meant for the old one is refused.
struct LedgerPage: Riblet {
  static let typeName = "LedgerPage"

  enum ViewAction: String, Codable { case tap }
  enum Output: Equatable { case tapped }
  struct ViewState: Codable, Equatable { let taps: Int }

  func makeState() -> Int { 0 }

  func reduce(into taps: inout Int, viewAction: ViewAction) -> Effect<Self> {
    taps += 1
    return .output(.tapped)
  }

  func view(_ taps: Int) -> ViewState { ViewState(taps: taps) }
}
