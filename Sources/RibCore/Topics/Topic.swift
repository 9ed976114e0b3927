import Synchronization

/// What sessions tell one another: a value that is published reaches every awake session that observes the topic.
///
/// Whoever makes the riblets makes the topic and hands it to them, so that what is shared between users is to be seen. A
/// riblet publishes with ``Effect/publish(_:to:)`` and observes with ``Effect/observe(_:id:resumable:_:)-(Topic<Value>,_,_,_)``:
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       let news = Effect.observe(scores, id: "scores") { .scored($0) }
///       state.scores = database.scores
///       return news
///     }
///
/// A publication arrives at most once, and not at a session that sleeps: what must not be missed is read again in
/// `didBecomeActive`, after the effect was made.
public final class Topic<Value: Sendable>: Sendable {
  private struct Subscribers {
    var lastNumber = 0
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
  }

  private let subscribers = Mutex(Subscribers())
  private let bufferSize: Int

  /// A topic that nobody observes.
  ///
  /// - Parameter bufferSize: how many publications wait for an observer that is busy; of more, the oldest are dropped.
  public init(bufferSize: Int = 256) { self.bufferSize = bufferSize }

  /// How many observe the topic.
  public var subscriberCount: Int { subscribers.withLock { $0.continuations.count } }

  /// Begins to observe.
  ///
  /// - Returns: what is published from now on, in order, until whoever reads it is cancelled.
  public func subscribe() -> AsyncStream<Value> { subscribe(beginningWith: nil) }

  /// The same, with a value before what is published.
  func subscribe(beginningWith first: Value?) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(bufferSize))
    if let first { continuation.yield(first) }
    let number = subscribers.withLock { subscribers in
      subscribers.lastNumber += 1
      subscribers.continuations[subscribers.lastNumber] = continuation
      return subscribers.lastNumber
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.subscribers.withLock { $0.continuations.removeValue(forKey: number) }
    }
    return stream
  }

  /// Publishes a value at once: for code outside of riblets, which use ``Effect/publish(_:to:)``.
  ///
  /// - Parameter value: the value.
  public func publish(_ value: Value) {
    // Within the lock, so that all subscribers see one order.
    subscribers.withLock { for continuation in $0.continuations.values { continuation.yield(value) } }
  }
}

extension Effect {
  /// Sends the riblet an internal action for each value that is published from now on, before the effect has begun too.
  ///
  /// - Parameters:
  ///   - topic: what to observe.
  ///   - id: a name by which it can be cancelled; what runs under it already is cancelled.
  ///   - resumable: whether it may be interrupted while the session is idle: `true` suits what `didBecomeActive` starts.
  ///   - action: makes the action for a value.
  /// - Returns: the effect.
  public static func observe<Value: Sendable>(
    _ topic: Topic<Value>, id: some Hashable & Sendable, resumable: Bool = true,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction
  ) -> Effect {
    let values = topic.subscribe()
    return observe({ values }, id: id, resumable: resumable, action)
  }

  /// Publishes a value once the transaction is committed, in the order of such effects; never if it is undone.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - topic: where to.
  /// - Returns: the effect.
  public static func publish<Value: Sendable>(_ value: Value, to topic: Topic<Value>) -> Effect {
    Effect(operation: .publish { topic.publish(value) })
  }
}
