import Dispatch
import Logging
import RibCore
import RibServer

/// A server of another version of the program.
///
/// One that cannot read the ledger's sessions keeps them, and tells their clients to come back later.
///
/// It runs in this process, and ends in order.
final class OtherVersion: Sendable {
  /// How the version reads the ledger's sessions.
  enum Kind {
    /// Their state has another shape.
    case otherShape
    /// The version knows a later one of the state, and not the way there.
    case newer
    /// The version knows a later one of the state, and makes it from the present one.
    case successor
  }

  private let server: Server
  /// Where it listens.
  let url: String

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - kind: which version.
  ///   - port: where it listens, unless it is handed a socket.
  ///   - socket: one that listens; nil for none. The server closes it.
  ///   - stateDirectory: where it keeps sessions.
  /// - Throws: what the server throws that cannot start.
  init(_ kind: Kind, port: Int = 0, socket: Int32? = nil, stateDirectory: String) throws {
    var settings = ServerSettings()
    settings.port = port
    settings.socket = socket
    settings.loops = 2
    settings.store = .sqlite
    settings.stateDirectory = stateDirectory
    settings.limits.actionsPerSecond = 0
    settings.timeouts.heartbeatSeconds = 1
    settings.timeouts.drainSeconds = 1
    let app =
      switch kind {
      case .otherShape: App("ledger") { OtherLedger() }
      case .newer: App("ledger") { NewerLedger() }
      case .successor: App("ledger") { NextLedger() }
      }
    server = Server(
      apps: [app], settings: settings, logger: Logger(label: "other") { _ in SwiftLogNoOpLogHandler() })
    url = "\(try server.start())"
  }

  /// Stops it, and waits for its end.
  func stop() {
    let hasEnded = DispatchSemaphore(value: 0)
    Task { [server] in
      await server.stop()
      hasEnded.signal()
    }
    hasEnded.wait()
  }
}

/// The ledger with a count that is text.
private struct OtherLedger: Riblet {
  static let typeName = "Ledger"
  struct State: Codable, Equatable { var count = "none" }
  struct ViewState: Codable, Equatable { let count: String }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}

/// The ledger of a later version.
private struct NewerLedger: Riblet {
  static let typeName = "Ledger"
  static let stateVersion = 2
  struct State: Codable, Equatable { var count = 0 }
  struct ViewState: Codable, Equatable { let count: Int }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}

/// The ledger of the next version: its count has another name, and it still counts.
private struct NextLedger: Riblet {
  static let typeName = "Ledger"
  static let stateVersion = 2
  struct State: Codable, Equatable { var total = 0 }
  struct ViewState: Codable, Equatable { let total: Int }
  enum ViewAction: String, Codable { case count }

  func makeState() -> State { State() }

  func migrate(_ saved: SavedState, from version: Int) throws -> State {
    struct FirstState: Decodable { let count: Int }
    return State(total: try saved.decode(FirstState.self).count)
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.total += 1
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(total: state.total) }
}
