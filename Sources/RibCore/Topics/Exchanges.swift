/// The exchanges of a process, which connect its topics, presences and cluster values with those of the same names in other processes.
package struct Exchanges: Sendable {
  /// The process's: a topic, a presence or a cluster value belongs to the program, whose servers share it if it has several.
  package static let shared = Exchanges(topics: .shared, presences: .shared, values: .shared)

  /// Of topics.
  package let topics: TopicExchange
  /// Of presences.
  package let presences: PresenceExchange
  /// Of cluster values.
  package let values: ValueExchange

  /// Exchanges of one's own, unless given.
  package init(
    topics: TopicExchange = TopicExchange(), presences: PresenceExchange = PresenceExchange(),
    values: ValueExchange = ValueExchange()
  ) {
    (self.topics, self.presences, self.values) = (topics, presences, values)
  }
}
