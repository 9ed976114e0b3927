/// A value that sessions share: a session that observes it is told what it is, and then what it becomes.
///
/// Like a ``Topic``, it is handed to the riblets by whoever makes them, and wakes sessions that rest with a client connected.
/// It lives as long as the process: what has to outlive it belongs into a database.
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       .observe(visitors, id: "visitors") { .visitorsChanged($0) }
///     }
public final class SharedValue<Value: Sendable>: Sendable {
  // One value is kept: an observer that is busy is told what it has become, not what it was meanwhile.
  let publications: Publications<Value>

  /// A value.
  ///
  /// - Parameter value: what it is at first.
  public init(_ value: Value) { publications = Publications(beginningWith: value) }

  /// What it is now.
  public var value: Value {
    guard let value = publications.last else { preconditionFailure("a shared value keeps its last value") }
    return value
  }

  /// How many observe it.
  public var subscriberCount: Int { publications.subscriberCount }

  /// Changes the value at once: for code outside of riblets, which use ``Effect/update(_:_:)``.
  ///
  /// - Parameter change: changes the value; no other change runs meanwhile, and it must not use this shared value itself.
  public func update(_ change: (inout Value) -> Void) { publications.amend(change) }

  /// Begins to observe.
  ///
  /// - Returns: what it is and what it becomes, without what was passed meanwhile, until the task that reads it is cancelled.
  public func subscribe() -> AsyncStream<Value> { PublicationReader(fromTheOldestIn: publications).makeStream() }
}

extension Effect {
  /// Sends the riblet an internal action for what a shared value is, and for what it becomes.
  ///
  /// Of several changes in a row, those in between may be left out, never the last. A session that rests with a client
  /// connected is woken by a change.
  ///
  /// - Parameters:
  ///   - shared: what to observe.
  ///   - id: a name by which it can be cancelled; what runs under it already is cancelled.
  ///   - resumable: whether it may be interrupted while the session is idle: `true` suits what `didBecomeActive` starts.
  ///   - action: makes the action for a value.
  /// - Returns: the effect.
  public static func observe<Value: Sendable>(
    _ shared: SharedValue<Value>, id: some Hashable & Sendable, resumable: Bool = true,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction
  ) -> Effect {
    observe({ PublicationReader(fromTheOldestIn: shared.publications) }, id: EffectID(id), action) { reader in
      resumable ? .withBell(reader.makeBell(of: shared)) : .never
    }
  }

  /// Changes a shared value once the transaction is committed, in the order of such effects; never if it is undone.
  ///
  /// - Parameters:
  ///   - shared: the value.
  ///   - change: changes it, whatever it has become meanwhile.
  /// - Returns: the effect.
  public static func update<Value: Sendable>(
    _ shared: SharedValue<Value>, _ change: @escaping @Sendable (inout Value) -> Void
  ) -> Effect {
    Effect(operation: .publish { shared.update(change) })
  }
}
