import Dispatch
import Logging
import RibCore
import RibServer

/// A server of another version of the program, which cannot read the ledger's sessions: they are kept, and their clients are
/// told to come back later.
///
/// It runs in this process, and ends in order.
final class OtherVersion: Sendable {
  private let server: Server

  /// Starts it: a newer one knows a later version of the state, and not the way there; else its state has another shape.
  init(port: Int, stateDirectory: String, isNewer: Bool) throws {
    var settings = ServerSettings()
    settings.port = port
    settings.loops = 2
    settings.store = .sqlite
    settings.stateDirectory = stateDirectory
    settings.limits.actionsPerSecond = 0
    settings.timeouts.heartbeatSeconds = 1
    settings.timeouts.drainSeconds = 1
    let app = isNewer ? App("ledger") { NewerLedger() } : App("ledger") { OtherLedger() }
    server = Server(
      apps: [app], settings: settings, logger: Logger(label: "other") { _ in SwiftLogNoOpLogHandler() })
    _ = try server.start()
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
