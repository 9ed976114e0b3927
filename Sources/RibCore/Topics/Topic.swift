/// What sessions tell one another: a value that is published reaches every session that observes the topic.
///
/// Whoever makes the riblets makes the topic and hands it to them, so that what is shared between users is to be seen. A
/// riblet publishes with ``Effect/publish(_:to:)`` and observes with ``Effect/observe(_:id:resumable:_:)-(Topic<Value>,_,_,_)``:
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       let news = Effect<Self>.observe(scores, id: "scores") { .scored($0) }
///       state.scores = database.scores
///       return news
///     }
///
/// A publication arrives at most once. A session that rests is not told what it was; if it has a client connected, the
/// publication wakes it, and what must not be missed is read again in `didBecomeActive`, after the effect was made.
///
/// While an effect that observes the topic exists or runs, the topic keeps its last `bufferSize` values, once for all that
/// observe it; otherwise none.
public final class Topic<Value: Sendable>: Sendable {
  let publications: Publications<Value>

  /// A topic that no session observes.
  ///
  /// - Parameter bufferSize: how many publications are kept for an observer that is busy or about to begin; of more, it misses
  ///   the oldest.
  public init(bufferSize: Int = 256) { publications = Publications(capacity: max(bufferSize, 0)) }

  /// How many observe the topic.
  public var subscriberCount: Int { publications.subscriberCount }

  /// Begins to observe.
  ///
  /// - Returns: what is published from now on, in order, until the task that reads it is cancelled.
  public func subscribe() -> AsyncStream<Value> {
    PublicationReader(from: PublicationMark(in: publications)).makeStream()
  }

  /// Publishes a value at once: for code outside of riblets, which use ``Effect/publish(_:to:)``.
  ///
  /// All observers see one order.
  ///
  /// - Parameter value: the value.
  public func publish(_ value: Value) { publications.publish(value) }
}

extension Effect {
  /// Sends the riblet an internal action for each value that is published from now on, before the effect has begun too.
  ///
  /// "Now" is when the effect is made. One that is kept and carried out again is told again of what was published since, as
  /// far as the topic keeps it. A session that rests with a client connected is woken by a publication.
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
    let mark = PublicationMark(in: topic.publications)
    return observe({ PublicationReader(from: mark) }, id: EffectID(id), action) { reader in
      resumable ? .withBell(reader.makeBell(of: topic)) : .never
    }
  }

  /// Sends an internal action for each value that a reader has, which is made for each time that the effect is carried out.
  static func observe<Value: Sendable>(
    _ makeReader: @escaping @Sendable () -> PublicationReader<Value>, id: EffectID,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction,
    rest: @escaping @Sendable (PublicationReader<Value>) -> EffectRest
  ) -> Effect {
    let run = Run(id: id, cancelsInFlight: true) {
      let reader = makeReader()
      return Execution(rest: rest(reader)) { send in
        reader.subscribe()
        while let next = await reader.next() {
          await send(action(next.value)) { reader.progress.didProcess(next.position) }
        }
      }
    }
    return Effect(operation: .run(run))
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
