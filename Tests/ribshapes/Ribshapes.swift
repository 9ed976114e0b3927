import Foundation
import RibCore
import RibServer

/// Checks a store of the showcase's sessions with apps of the same names whose states were changed, each in another way:
/// `ribshapes STORE [SECONDS]`.
///
/// A program of its own, as the check runs its program again, and as some of these apps end the process.
@main
enum Ribshapes {
  static let apps = [
    App("counter") { MigratedCounter() },
    App("home-detail") { BrokenRoot() },
    App("profile") { TrappingRouter() },
    App("tabs", onUnreadableState: .rebuild) { RebuiltRoot() },
    App("ledger") { OlderLedger() },
    App("search") { EndlessSearch() },
    App("boundaries") { RenamedParent() },
  ]

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      FileHandle.standardError.write(Data("usage: ribshapes STORE [SECONDS]\n".utf8))
      exit(2)
    }
    let seconds = arguments.count > 2 ? Int(arguments[2]) ?? 60 : 60
    exit(StateCheck(apps: apps).run(on: arguments[1], isJSON: true, secondsPerSession: seconds))
  }
}

/// A riblet without actions, for states.
protocol StateOnly: Riblet where ViewState == Int, State: Codable {}

extension StateOnly {
  func view(_ state: State) -> Int { 0 }
}

/// A new required member, with a migration.
struct MigratedCounter: StateOnly {
  static let typeName = "Counter"
  static let stateVersion = 2

  struct State: Codable {
    var count: Int
    var unit: String
  }

  func makeState() -> State { State(count: 0, unit: "") }

  func migrate(_ saved: SavedState, from version: Int) throws -> State {
    struct First: Decodable { let count: Int }
    return State(count: try saved.decode(First.self).count, unit: "pieces")
  }
}

/// A new required member, and nothing done about it.
struct BrokenRoot: StateOnly {
  static let typeName = "Root"

  struct State: Codable {
    var home = Slot<NoConfig>()
    var title = ""
  }

  func makeState() -> State { State() }
}

/// A migration that ends the process.
struct TrappingRouter: StateOnly {
  static let typeName = "ProfileNavigationRouter"
  static let stateVersion = 2

  struct State: Codable { var pages: [String] }

  func makeState() -> State { State(pages: []) }

  func migrate(_ saved: SavedState, from version: Int) throws -> State {
    fatalError("There is no way from version \(version).")
  }
}

/// A member of another type; the app chooses to lose it.
struct RebuiltRoot: StateOnly {
  static let typeName = "AppRoot"

  struct State: Codable { var tabs: Int }

  func makeState() -> State { State(tabs: 0) }
}

/// An older version than the one that has saved the sessions.
struct OlderLedger: StateOnly {
  static let typeName = "Ledger"
  static let stateVersion = 0

  func makeState() -> Int { 0 }
}

/// A migration that does not come back.
struct EndlessSearch: StateOnly {
  static let typeName = "Search"
  static let stateVersion = 2

  func makeState() -> Int { 0 }

  func migrate(_ saved: SavedState, from version: Int) throws -> Int {
    while true { pause() }
  }
}

/// A riblet under another name.
struct RenamedParent: StateOnly {
  static let typeName = "Guardian"

  func makeState() -> Int { 0 }
}
