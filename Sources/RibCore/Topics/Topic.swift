/// What sessions tell one another: a value that is published reaches every session that observes the topic.
///
/// The code that makes the riblets makes the topic and hands it to them, so that it is plain to see what users share. A
/// riblet publishes with ``Effect/publish(_:to:)`` and observes with
/// ``Effect/observe(_:id:resumable:_:)-(Topic<Value>,_,_,_)``:
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
/// observers; otherwise none.
public final class Topic<Value: Sendable>: Sendable {
  let publications: Publications<Value>

  /// A topic that no session observes.
  ///
  /// - Parameter bufferSize: how many publications are kept for an observer that is busy or about to begin; beyond
  ///   that, the observer misses the oldest. A negative number means 0.
  public init(bufferSize: Int = 256) { publications = Publications(capacity: max(bufferSize, 0)) }

  /// How many effects and streams observe the topic.
  package var subscriberCount: Int { publications.subscriberCount }

  /// A stream of what is published from now on, in order, until the task that reads the stream is cancelled.
  public func subscribe() -> AsyncStream<Value> {
    PublicationReader(from: PublicationMark(in: publications)).makeStream()
  }

  /// Publishes a value at once: for code outside of riblets, which use ``Effect/publish(_:to:)``.
  ///
  /// All observers see publications in one order.
  public func publish(_ value: Value) { publications.publish(value) }
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
  ///   - action: makes the action for a value.
  /// - Returns: an effect that runs until it is cancelled.
  public static func observe<Value: Sendable>(
    _ topic: Topic<Value>, id: some Hashable & Sendable, resumable: Bool = true,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction
  ) -> Effect {
    let mark = PublicationMark(in: topic.publications)
    return observe({ PublicationReader(from: mark) }, id: EffectID(id), action) { reader in
      resumable ? .withBell(reader.makeBell(of: topic)) : .never
    }
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
    Effect(operation: .publish { topic.publish(value) })
  }
}
