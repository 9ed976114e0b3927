import Wire

/// What sessions tell one another: a value that is published reaches every session that observes the topic.
///
/// The code that makes the riblets makes the topic and hands it to them, so that it is plain to see what users share. A
/// riblet publishes with ``Effect/publish(_:to:)`` and observes with
/// ``Effect/observe(_:id:resumable:missed:_:)``:
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       let news = Effect<Self>.observe(scores, id: "scores") { .scored($0) }
///       state.scores = database.scores
///       return news
///     }
///
/// A publication arrives at most once. A resting session is not told the value; if the session has a client connected,
/// the publication wakes it. So read again in `didBecomeActive` what must not be missed, after making the effect.
///
/// While an effect that observes the topic exists or runs, the topic keeps its last `bufferSize` values, once for all
/// observers; otherwise none. An observer that is too slow for that misses the oldest, and is told so if it wants to know.
///
/// A topic is its process's own, unless it has a name: what is published to a topic with a name (``init(name:bufferSize:)``) reaches the topics of that
/// name in all processes that share sessions, as nodes of a cluster. ``Topics`` are topics by key.
public final class Topic<Value: Sendable>: Sendable {
  let publications: Publications<TopicNews<Value>>
  /// Tells other processes of a value; nil for a topic without a name.
  private let share: (@Sendable (Value) -> Void)?
  /// Called when nobody has the topic any more.
  private let onEnd: (@Sendable () -> Void)?

  /// A topic that no session observes, of this process alone.
  ///
  /// - Parameter bufferSize: how many publications are kept for an observer that is busy or about to begin; beyond
  ///   that, the observer misses the oldest. A negative number means 0.
  public convenience init(bufferSize: Int = 256) { self.init(bufferSize: bufferSize, share: nil, onEnd: nil) }

  init(bufferSize: Int, share: (@Sendable (Value) -> Void)?, onEnd: (@Sendable () -> Void)?) {
    publications = Publications(capacity: max(bufferSize, 0))
    self.share = share
    self.onEnd = onEnd
  }

  deinit { onEnd?() }

  /// How many effects and streams observe the topic.
  package var subscriberCount: Int { publications.subscriberCount }

  /// A stream of what is published from now on, in order, until the task that reads the stream is cancelled.
  ///
  /// Publications that the stream is too slow for, or that did not come from another process, are left out without a word.
  public func subscribe() -> AsyncStream<Value> {
    let reader = PublicationReader(from: PublicationMark(in: publications))
    reader.subscribe()
    return AsyncStream { await self.nextValue(of: reader) }
  }

  /// The next value of a reader; the topic is there as long as that is waited for.
  private func nextValue(of reader: PublicationReader<TopicNews<Value>>) async -> Value? {
    while let next = await reader.next() {
      if case .value(let value) = next.value { return value }
    }
    return nil
  }

  /// Publishes a value at once: for code outside of riblets, which use ``Effect/publish(_:to:)``.
  ///
  /// All observers in this process see publications in one order. Those in another one see what is published here in that order as well, as far as one
  /// thread has published it; what they publish themselves comes in between.
  public func publish(_ value: Value) {
    publications.publish(.value(value))
    share?(value)
  }

  /// Tells observers what another process has published; nil for something that is not known.
  func receive(_ value: Value?) { publications.publish(value.map { .value($0) } ?? .gap) }
}

/// An entry of a topic's log, as its observers are told of it.
enum TopicNews<Value: Sendable>: Sendable {
  /// This was published.
  case value(Value)
  /// Something may have been published that did not come here.
  case gap
}

extension Topic where Value: Codable {
  /// A topic that no session observes, with a name: other processes publish to it, too.
  ///
  /// A publication reaches all nodes of a cluster over their links, at most once each: a node that is cut off misses it. Then, and where another
  /// version of the program cannot read the value, observers are told that they have missed something. Values go as JSON.
  ///
  /// - Parameters:
  ///   - name: the same in all processes, for one topic in each, whose values are of one type.
  ///   - bufferSize: how many publications are kept for an observer that is busy or about to begin; beyond
  ///     that, the observer misses the oldest. A negative number means 0.
  public convenience init(name: String, bufferSize: Int = 256) {
    self.init(name: name, bufferSize: bufferSize, on: .shared)
  }

  /// The same, on an exchange of one's own.
  package convenience init(name: String, bufferSize: Int = 256, on exchange: TopicExchange) {
    let number = exchange.makeNumber()
    self.init(bufferSize: bufferSize) { [weak exchange] value in
      guard let exchange, exchange.isConnected else { return }
      // A value that cannot be encoded is a gap to other processes' observers.
      exchange.publish(NamedPublication(topic: name, value: try? StateCoder.encode(value)))
    } onEnd: { [weak exchange] in
      exchange?.remove(number, name)
    }
    exchange.add(self, number, name)
  }
}

extension Topic: TopicExchange.Receiver where Value: Codable {
  func receive(key: [UInt8]?, value: [UInt8]?) { receive(value.flatMap { Value(published: $0) }) }
  func noteGap() { receive(nil) }
}

extension Decodable {
  /// Decodes a value that another process has published.
  ///
  /// - Parameter bytes: the value, as JSON; nil if it is none of this version's.
  init?(published bytes: [UInt8]) {
    guard let json = try? StateCoder.read(String(decoding: bytes, as: UTF8.self)),
      let value = try? StateCoder.decode(Self.self, from: json)
    else { return nil }
    self = value
  }
}

extension Effect {
  /// Sends the riblet an internal action for each value that is published from now on, also before the effect has
  /// started.
  ///
  /// "Now" is the moment at which the effect is made. An effect that is kept and carried out again sends again what was
  /// published since that moment, as far as the topic keeps it. A publication wakes a resting session that has a client
  /// connected.
  ///
  /// - Parameters:
  ///   - topic: the topic to observe.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - resumable: whether the session may rest while the effect runs: `true` suits an effect that `didBecomeActive`
  ///     starts.
  ///   - missed: makes the action for publications that were, or may have been, missed: read again what they were about. Either they were
  ///     another process's and did not come, or the session was too slow for the topic's buffer. Nil if that is of no interest.
  ///   - action: makes the action for a value.
  /// - Returns: an effect that runs until it is cancelled.
  public static func observe<Value: Sendable>(
    _ topic: Topic<Value>, id: some Hashable & Sendable, resumable: Bool = true,
    missed: (@Sendable () -> Source.InternalAction)? = nil,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction
  ) -> Effect {
    let mark = PublicationMark(in: topic.publications)
    let run = Run(id: EffectID(id), cancelsInFlight: true) {
      let reader = PublicationReader(from: mark)
      return Execution(rest: resumable ? .withBell(reader.makeBell(of: topic)) : .never) { send in
        reader.subscribe()
        var last = mark.position
        while let next = await reader.next() {
          let hasOverflown = next.position > last + 1
          last = next.position
          switch next.value {
          case .value(let value):
            if hasOverflown, let missed { await send(missed()) }
            await send(making: { action(value) }) { reader.didProcess() }
          case .gap:
            if let missed { await send(making: missed) { reader.didProcess() } } else { reader.didProcess() }
          }
        }
        // The topic is there as long as this effect observes it.
        withExtendedLifetime(topic) {}
      }
    }
    return Effect(operation: .run(run))
  }

  /// Sends an internal action for each value of a reader; each execution of the effect makes a reader of its own.
  ///
  /// Where only the newest value counts, the action is made of the one that there is just before the reducer runs: the value that
  /// was read may be older than what the riblet has done to it meanwhile.
  static func observe<Value: Sendable>(
    _ makeReader: @escaping @Sendable () -> PublicationReader<Value>, id: EffectID, onlyNewest: Bool = false,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction,
    rest: @escaping @Sendable (PublicationReader<Value>) -> EffectRest
  ) -> Effect {
    let run = Run(id: id, cancelsInFlight: true) {
      let reader = makeReader()
      return Execution(rest: rest(reader)) { send in
        reader.subscribe()
        while let next = await reader.next() {
          await send(making: { action(onlyNewest ? reader.newest ?? next.value : next.value) }) { reader.didProcess() }
        }
      }
    }
    return Effect(operation: .run(run))
  }

  /// Publishes a value once the transaction is committed, in the order of such effects; never if it is rolled back.
  public static func publish<Value: Sendable>(_ value: Value, to topic: Topic<Value>) -> Effect {
    let announcement = Announcement(listenerCount: { topic.publications.listenerCount }) { topic.publish(value) }
    return Effect(operation: .publish(announcement))
  }
}
