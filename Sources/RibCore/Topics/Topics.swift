import Synchronization
import Wire

/// Topics by key: a ``Topic`` for each room, document or user, made when it is asked for, and forgotten with the last that observes it.
///
///     let rooms = Topics<Int, RoomEvent>(name: "rooms")
///     // In a riblet of room 7:
///     .observe(rooms[7], id: "room") { .happened($0) }
public final class Topics<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    weak var topic: Topic<Value>?
    let number: Int
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var lastNumber = 0
  }

  private let bufferSize: Int
  // What is loaded of an entry under the lock is handed out, and let go of outside: the end of a topic locks again.
  private let state = Mutex(State())
  /// Tells other processes of a value; nil for topics without a name.
  private let share: (@Sendable (Key, Value) -> Void)?
  private let onEnd: (@Sendable () -> Void)?

  /// Topics that no session observes, of this process alone.
  ///
  /// - Parameter bufferSize: how many publications each keeps, as of a ``Topic``.
  public convenience init(bufferSize: Int = 256) { self.init(bufferSize: bufferSize, share: nil, onEnd: nil) }

  private init(
    bufferSize: Int, share: (@Sendable (Key, Value) -> Void)?, onEnd: (@Sendable () -> Void)?
  ) {
    (self.bufferSize, self.share, self.onEnd) = (bufferSize, share, onEnd)
  }

  deinit { onEnd?() }

  /// The topic of a key; it is the same as long as somebody has it, or observes it.
  public subscript(key: Key) -> Topic<Value> {
    state.withLock { state in
      if let topic = state.entries[key]?.topic { return topic }
      state.lastNumber += 1
      let number = state.lastNumber
      var shareOfKey: (@Sendable (Value) -> Void)?
      if let share { shareOfKey = { share(key, $0) } }
      // It keeps the others' publications coming, as long as it is there.
      let topic = Topic<Value>(bufferSize: bufferSize, share: shareOfKey) { [self] in remove(key, number) }
      state.entries[key] = Entry(topic: topic, number: number)
      return topic
    }
  }

  /// How many keys have a topic.
  package var count: Int { state.withLock { $0.entries.count } }

  /// Forgets the topic of a key, unless there is another one by now.
  private func remove(_ key: Key, _ number: Int) {
    state.withLock { state in if state.entries[key]?.number == number { state.entries[key] = nil } }
  }

  /// The topic of a key if somebody has it.
  fileprivate func existing(_ key: Key) -> Topic<Value>? { state.withLock { $0.entries[key]?.topic } }
  fileprivate var all: [Topic<Value>] { state.withLock { $0.entries.values.compactMap(\.topic) } }
}

extension Topics where Key: Codable, Value: Codable {
  /// Topics that no session observes, with a name: other processes publish to them, too, as to a ``Topic`` with a name.
  ///
  /// - Parameters:
  ///   - name: the same in all processes.
  ///   - bufferSize: how many publications each keeps, as of a ``Topic``.
  public convenience init(name: String, bufferSize: Int = 256) {
    self.init(name: name, bufferSize: bufferSize, on: .shared)
  }

  /// The same, on an exchange of one's own.
  package convenience init(name: String, bufferSize: Int = 256, on exchange: TopicExchange) {
    let number = exchange.makeNumber()
    self.init(bufferSize: bufferSize) { [weak exchange] key, value in
      guard let exchange, exchange.isConnected else { return }
      // A key that cannot be said may be any.
      let key = try? StateCoder.encode(key)
      exchange.publish(NamedPublication(topic: name, key: key, value: key == nil ? nil : try? StateCoder.encode(value)))
    } onEnd: { [weak exchange] in
      exchange?.remove(number, name)
    }
    exchange.add(self, number, name)
  }
}

extension Topics: TopicExchange.Receiver where Key: Codable, Value: Codable {
  func receive(key: [UInt8]?, value: [UInt8]?) {
    guard let key else { return noteGap() }
    // Of a key that this version does not know it has no topic.
    guard let key = Key(published: key), let topic = existing(key) else { return }
    topic.receive(value.flatMap { Value(published: $0) })
  }

  func noteGap() { for topic in all { topic.receive(nil) } }
}
