/// A loop's figures at one moment.
struct LoopFigures: Sendable {
  /// The loop's counts.
  var stats = LoopStats()
  /// Its connections, by what they carry.
  var connections: [Connection.Kind: Int] = [:]
  /// Its sessions.
  var sessionCount = 0
}

extension EventLoop {
  /// The figures of this moment; to be called on the loop.
  ///
  /// Connections and sessions are looked up, and not counted up and down: so no figure can drift away from the truth.
  var figures: LoopFigures {
    var figures = LoopFigures(stats: work.stats, sessionCount: sessions.count)
    var (http, websocket, events) = (0, 0, 0)
    for connection in connections.values {
      switch connection.kind {
      case .http: http += 1
      case .websocket: websocket += 1
      case .events: events += 1
      }
    }
    figures.connections = [.http: http, .websocket: websocket, .events: events]
    return figures
  }
}
