import Synchronization

/// A publication of a topic with a name, on its way to the topics of that name in other processes.
package struct NamedPublication: Equatable, Sendable {
  /// The topic's name.
  package let topic: String
  /// The key of a topic of ``Topics``, as JSON; nil for a topic with a name of its own.
  package let key: [UInt8]?
  /// The value, as JSON; nil if it could not be encoded: observers are told that they have missed something.
  package let value: [UInt8]?

  /// A publication.
  package init(topic: String, key: [UInt8]? = nil, value: [UInt8]?) {
    (self.topic, self.key, self.value) = (topic, key, value)
  }
}

/// Takes what topics with names publish to the processes that share their sessions, and what those publish to the topics of this one.
///
/// A process has one, ``shared``. A server that is a node of a cluster connects it to the others; without one, topics are their process's own.
package final class TopicExchange: Sendable {
  /// The process's.
  package static let shared = TopicExchange()

  /// What takes the publications of other processes, for a name.
  protocol Receiver: AnyObject, Sendable {
    /// Publishes what another process has published.
    ///
    /// - Parameters:
    ///   - key: the key, as JSON; nil for none.
    ///   - value: the value, as JSON; nil if it is not known.
    func receive(key: [UInt8]?, value: [UInt8]?)
    /// Tells all observers that they have missed something.
    func noteGap()
  }

  private struct Entry { weak var receiver: (any Receiver)? }
  private struct State {
    /// By name and number.
    var entries: [String: [Int: Entry]] = [:]
    var lastNumber = 0
    var buses: [Int: @Sendable (NamedPublication) -> Void] = [:]
    var lastBus = 0
  }

  // What is loaded of an entry under the lock is handed out, and let go of outside: the end of a topic locks again.
  private let state = Mutex(State())
  /// How many there are to whom publications are told.
  private let busCount = Atomic(0)

  /// Without topics.
  package init() {}

  /// Whether anybody is told of publications.
  var isConnected: Bool { busCount.load(ordering: .relaxed) > 0 }

  // MARK: Topics

  /// A number for ``add(_:_:_:)`` and ``remove(_:_:)``, which no other topic has.
  func makeNumber() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Makes a topic known by its name.
  func add(_ receiver: any Receiver, _ number: Int, _ name: String) {
    state.withLock { $0.entries[name, default: [:]][number] = Entry(receiver: receiver) }
  }

  /// Forgets a topic.
  func remove(_ number: Int, _ name: String) {
    state.withLock { state in
      state.entries[name]?[number] = nil
      if state.entries[name]?.isEmpty == true { state.entries[name] = nil }
    }
  }

  /// How many names are known.
  var nameCount: Int { state.withLock { $0.entries.count } }

  /// Tells other processes of a publication; in the order of the calls.
  func publish(_ publication: NamedPublication) {
    let buses = state.withLock { Array($0.buses.values) }
    for bus in buses { bus(publication) }
  }

  // MARK: Other processes

  /// Has other processes told of all publications from now on.
  ///
  /// - Parameter send: tells them; called on any thread, which it does not hold up.
  /// - Returns: the number for ``disconnect(_:)``.
  package func connect(_ send: @escaping @Sendable (NamedPublication) -> Void) -> Int {
    busCount.add(1, ordering: .relaxed)
    return state.withLock { state in
      state.lastBus += 1
      state.buses[state.lastBus] = send
      return state.lastBus
    }
  }

  /// Tells other processes nothing any more.
  ///
  /// - Parameter bus: what ``connect(_:)`` has returned.
  package func disconnect(_ bus: Int) {
    let removed = state.withLock { $0.buses.removeValue(forKey: bus) }
    if removed != nil { busCount.subtract(1, ordering: .relaxed) }
  }

  /// Takes what another process has published; those who observe it here are told.
  ///
  /// - Parameter publication: of a topic that this process may not have.
  package func receive(_ publication: NamedPublication) {
    let receivers = state.withLock { ($0.entries[publication.topic] ?? [:]).values.compactMap(\.receiver) }
    for receiver in receivers { receiver.receive(key: publication.key, value: publication.value) }
  }

  /// Tells all who observe topics with names that they may have missed something that another process has published.
  package func noteGap() {
    let receivers = state.withLock { $0.entries.values.flatMap { $0.values.compactMap(\.receiver) } }
    for receiver in receivers { receiver.noteGap() }
  }
}
