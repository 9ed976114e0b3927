import Logging
import RibCore
import Synchronization

// What this process's topics and presences have to do with those of other nodes.

/// The numbers by which the exchanges know this node's connections to them; nil where there is none.
struct ExchangeNumbers: Sendable {
  var topics: Int?
  var presences: Int?
  var values: Int?
}

extension Cluster {
  /// Connects this process's topics and presences to those of other nodes.
  ///
  /// - Parameter links: to these.
  func connect(_ links: Links) {
    let topics = exchanges.topics.connect { [weak links] publication in links?.publish(publication) }
    let presences = exchanges.presences.connect { [weak links] news in links?.tell(news) }
    state.withLock { ($0.connections.topics, $0.connections.presences) = (topics, presences) }
  }

  /// Has this process's topics and presences be its own again; its cluster values go on to be written.
  func disconnectLinks() {
    let connections = state.withLock { $0.connections }
    if let topics = connections.topics { exchanges.topics.disconnect(topics) }
    if let presences = connections.presences { exchanges.presences.disconnect(presences) }
  }
}
