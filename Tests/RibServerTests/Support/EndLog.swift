import RibServer
import Synchronization

/// What an app was told of sessions that have ended.
final class EndLog: Sendable {
  private let ends = Mutex<[EndedSession]>([])

  /// All of it, in order.
  var all: [EndedSession] { ends.withLock { $0 } }
  /// The reasons, in order.
  var reasons: [EndedSession.Reason] { all.map(\.reason) }

  func note(_ session: EndedSession) { ends.withLock { $0.append(session) } }

  /// The app, which notes its sessions' ends here.
  func watching(_ app: App) -> App { app.onEnd { [self] in note($0) } }
}

/// What closures wait at until a test opens it.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// How many wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      defer { state = State(isOpen: true) }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
