/// A loop's figures at one moment.
struct LoopFigures: Sendable {
  /// What it has counted.
  var stats = LoopStats()
  /// Its connections, by what they carry.
  var connections: [Connection.Kind: Int] = [:]
  /// Its sessions.
  var sessionCount = 0
}

extension EventLoop {
  /// The figures of this moment; to be called on the loop.
  ///
  /// What is there is looked at, and not counted up and down: so no figure can drift away from the truth.
  var figures: LoopFigures {
    var figures = LoopFigures(stats: work.stats, sessionCount: sessions.count)
    for connection in connections.values { figures.connections[connection.kind, default: 0] += 1 }
    return figures
  }
}
