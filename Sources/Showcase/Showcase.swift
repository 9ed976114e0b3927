import RibCore
import RibRIV
public import RibServer

/// The showcase's apps: the samples of the architectures that a riblet comes from, and some of our own.
public enum Showcase {
  /// The apps, by the names that clients give in their `hello`.
  public static let apps = apps(ledger: .none)

  /// The apps, with a book for the ledger's payments.
  ///
  /// - Parameters:
  ///   - ledger: the book.
  ///   - counter: which version of the counter there is.
  /// - Returns: the apps.
  public static func apps(ledger: LedgerService, counter: CounterVersion = .first) -> [App] {
    apps(clock: ContinuousClock(), ledger: ledger, counter: counter)
  }

  /// The apps, by a clock of one's own.
  static func apps(
    clock: any Clock<Duration>, ledger: LedgerService = .none, counter: CounterVersion = .first
  ) -> [App] {
    let someManager = SomeManager()
    let board = ClusterValue(name: "members.board", Board())
    return [
      counter.app,
      App("counter-riv") {
        Feature(interactor: CounterInteractor(initialDomain: CounterDomain()), reducer: CounterReducer())
      },
      App("home-detail") { Root() },
      App("tabs") { AppRoot() },
      App("search") { Search(service: .showcase(clock: clock)) },
      App("profile") { ProfileNavigationRouter() },
      App("login") { LoginRoot(service: .showcase(clock: clock)) },
      App("boundaries") { BoundariesParent() },
      App("screens") { MainRiblet(someManager: someManager) },
      App("catalog") { Catalog() },
      App("ledger") { Ledger(service: ledger) },
      .room(clock: clock),
      App("members", access: .identified) { (session: SessionContext) in Members(session: session, board: board) },
    ]
  }
}
