/// A value that sessions share: an observing session is told the present value, and then what the value becomes.
///
/// Like a ``Topic``, a shared value is handed to the riblets by the code that makes them, and a change wakes a resting
/// session that has a client connected. The value is its process's own, and lives as long: a ``ClusterValue`` is that of all nodes of a cluster. What
/// else has to outlive the process belongs in a database.
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       .observe(visitors, id: "visitors") { .visitorsChanged($0) }
///     }
public final class SharedValue<Value: Sendable>: Sendable {
  // Only the last value is kept: a busy observer is told the newest value, and misses those in between.
  let publications: Publications<Value>

  /// A shared value with its first value.
  public init(_ value: Value) { publications = Publications(beginningWith: value) }

  /// The present value.
  public var value: Value {
    guard let value = publications.last else { preconditionFailure("a shared value keeps its last value") }
    return value
  }

  /// How many effects and streams observe the value.
  package var subscriberCount: Int { publications.subscriberCount }

  /// Changes the value at once: for code outside of riblets, which use ``Effect/update(_:_:)-(_,(Value)->Void)``.
  ///
  /// No other change runs meanwhile. `change` must not use this shared value.
  public func update(_ change: (inout Value) -> Void) { publications.amend(change) }

  /// A stream of the present value and of what it becomes, until the task that reads the stream is cancelled.
  ///
  /// A slow reader misses values in between, never the last one.
  public func subscribe() -> AsyncStream<Value> { PublicationReader(fromTheOldestIn: publications).makeStream() }
}

extension Effect {
  /// Sends the riblet an internal action for the present value, and for what it becomes.
  ///
  /// If the value changes several times in a row, values in between may be left out, but never the last: the action is
  /// made of what the value is when the reducer runs. A change wakes a resting session that has a client connected.
  ///
  /// - Parameters:
  ///   - shared: the value to observe.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - resumable: whether the session may rest while the effect runs: `true` suits an effect that `didBecomeActive`
  ///     starts.
  ///   - action: makes the action for a value.
  /// - Returns: an effect that runs until it is cancelled.
  public static func observe<Value: Sendable>(
    _ shared: SharedValue<Value>, id: some Hashable & Sendable, resumable: Bool = true,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction
  ) -> Effect {
    observe({ PublicationReader(fromTheOldestIn: shared.publications) }, id: EffectID(id), onlyNewest: true, action) {
      reader in
      resumable ? .withBell(reader.makeBell(of: shared)) : .never
    }
  }

  /// Changes a shared value once the transaction is committed, in the order of such effects; never if it is rolled
  /// back.
  ///
  /// `change` works on the value as it is then, which other sessions may have changed meanwhile.
  public static func update<Value: Sendable>(
    _ shared: SharedValue<Value>, _ change: @escaping @Sendable (inout Value) -> Void
  ) -> Effect {
    let announcement = Announcement(listenerCount: { shared.publications.listenerCount }) { shared.update(change) }
    return Effect(operation: .publish(announcement))
  }
}
