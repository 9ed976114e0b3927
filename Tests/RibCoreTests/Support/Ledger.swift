import RibCore

/// What a program knows of ledgers.
protocol Edition {
  static var typeName: String { get }
  static var version: Int { get }
  static var canMigrate: Bool { get }
}

enum FirstEdition: Edition {
  static let typeName = "Ledger"
  static let version = 1
  static let canMigrate = false
}

/// Counts in cents.
enum SecondEdition: Edition {
  static let typeName = "Ledger"
  static let version = 2
  static let canMigrate = true
}

enum ForgetfulEdition: Edition {
  static let typeName = "Ledger"
  static let version = 2
  static let canMigrate = false
}

enum OtherEdition: Edition {
  static let typeName = "Notebook"
  static let version = 1
  static let canMigrate = false
}

struct NoMigration: Error {}

/// The parent of a ledger, and of a second one that is embedded.
struct Bank<E: Edition>: Riblet {
  static var typeName: String { "Bank" }
  struct State: Codable {
    var count = 0
    var ledger = Slot(0)
    var wallet = Wallet<E>.State()
  }
  enum ViewAction: Decodable { case count }

  var routes: [Route<Self>] {
    [
      Route("ledger", \.ledger) { _ in Child(Ledger<E>()) },
      Route("wallet", \.wallet) { Child(Wallet<E>()) },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.count += 1
    return .none
  }

  func view(_ state: State) -> Int { state.count }
}

/// Has a state whose meaning depends on the edition, and a child.
struct Ledger<E: Edition>: Riblet {
  static var typeName: String { E.typeName }
  static var stateVersion: Int { E.version }
  struct State: Codable {
    var total = 0
    var sheet = Slot("sheet")
  }
  enum ViewAction: Decodable { case earn }
  private struct FirstState: Decodable {
    var total: Int
    var sheet: Slot<String>
  }

  var routes: [Route<Self>] { [Route("sheet", \.sheet) { name in Child(Bud(name: name)) }] }

  func makeState() -> State { State() }

  func migrate(_ saved: SavedState, from version: Int) throws -> State {
    guard E.canMigrate else { throw NoMigration() }
    let old = try saved.decode(FirstState.self)
    return State(total: old.total * 100, sheet: old.sheet)
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.total += 1
    return .none
  }

  func view(_ state: State) -> Int { state.total }
}

/// Its state is a part of the bank's.
struct Wallet<E: Edition>: Riblet {
  static var typeName: String { "Wallet of \(E.typeName)" }
  static var stateVersion: Int { E.version }
  struct State: Codable { var coins = 0 }

  func makeState() -> State { State() }
  func view(_ state: State) -> Int { state.coins }
}
