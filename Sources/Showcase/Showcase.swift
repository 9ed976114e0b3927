public import RibServer

/// The showcase's apps: the samples of the architectures that a riblet comes from, and one of our own.
public enum Showcase {
  /// The apps, by the names that clients give in their `hello`.
  public static let apps: [App] = [
    App("counter") { Counter() },
    App("home-detail") { Root() },
    App("tabs") { AppRoot() },
    App("profile") { ProfileNavigationRouter() },
    App("screens") { MainRiblet(someManager: someManager) },
  ]

  /// What all sessions of `screens` share.
  private static let someManager = SomeManager()
}
