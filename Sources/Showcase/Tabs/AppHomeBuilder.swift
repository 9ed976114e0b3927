import RibCore

/// A page of the home tab.
enum AppHomePage: Codable { case appHome, transportHome }

/// Builds the pages of the home tab, none of which knows another's type.
struct AppHomeBuilder: Builder {
  func build(_ page: AppHomePage) -> any Riblet<NavigationCommand<AppHomePage>> {
    switch page {
    case .appHome: AppHome()
    case .transportHome: TransportHome()
    }
  }
}
