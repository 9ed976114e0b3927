import RibCore

/// A page of the finance tab.
enum FinanceHomePage: Codable { case financeHome }

/// Builds the pages of the finance tab.
struct FinanceHomeBuilder: Builder {
  func build(_ page: FinanceHomePage) -> any Riblet<NavigationCommand<FinanceHomePage>> {
    switch page {
    case .financeHome: FinanceHome()
    }
  }
}
