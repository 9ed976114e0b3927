/// The way in which a running effect reports to its riblet.
///
/// A view action cannot be sent: such an action comes from a client only.
public struct Send<Source: Interactor>: Sendable {
  enum Report: Sendable {
    case action(Source.InternalAction)
    case output(Source.Output)
  }

  let token: EffectToken
  /// A key that the effect can hand to services, which then carry out repeated attempts only once.
  public let idempotencyKey: IdempotencyKey
  let tally: EffectTally
  let port: EffectPort

  /// Sends the riblet an internal action, in a transaction of its own.
  ///
  /// Returns when the transaction is done; does nothing if the effect was cancelled.
  public func callAsFunction(_ action: Source.InternalAction) async { await report({ .action(action) }) }

  /// Sends an action that is made just before the reducer handles it, and has `receipt` called afterwards.
  func callAsFunction(
    making makeAction: @escaping @Sendable () -> Source.InternalAction, receipt: @escaping @Sendable () -> Void
  ) async { await report({ .action(makeAction()) }, receipt) }

  /// Tells the riblet's parent that something happened, in a transaction of its own.
  ///
  /// Returns when the transaction is done; does nothing if the effect was cancelled.
  public func output(_ output: Source.Output) async { await report({ .output(output) }) }

  /// Publishes a value at once; does nothing if the effect was cancelled.
  ///
  /// ``Effect/publish(_:to:)``, which a reducer returns, waits for the commit of its transaction instead. An effect
  /// runs after the commit already, so there is nothing to wait for.
  public func publish<Value: Sendable>(_ value: Value, to topic: Topic<Value>) {
    guard !Task.isCancelled else { return }
    tally.note(listeners: topic.publications.listenerCount)
    topic.publish(value)
  }

  /// Changes a shared value at once; does nothing if the effect was cancelled.
  ///
  /// `change` works on the value as it is then, which other sessions may have changed meanwhile.
  public func update<Value: Sendable>(_ shared: SharedValue<Value>, _ change: (inout Value) -> Void) {
    guard !Task.isCancelled else { return }
    tally.note(listeners: shared.publications.listenerCount)
    shared.update(change)
  }

  /// Waits until the effect is cancelled, for what begins with the effect and has to be ended with it.
  ///
  ///     .run(id: "presence", resumable: true) { send in
  ///       visitors.update { $0 += 1 }
  ///       await send.untilCancelled()
  ///       visitors.update { $0 -= 1 }
  ///     }
  ///
  /// An effect that is cancelled before it starts runs all the same. So the shared value itself makes both changes:
  /// ``update(_:_:)`` would leave out the first one then, and not the second. An effect that replaces a cancelled one
  /// may run before that one has ended, so use changes whose order does not matter, such as those of a count.
  public func untilCancelled() async {
    // A stream without elements ends only when the task that reads it is cancelled.
    for await _ in AsyncStream<Never>.makeStream().stream {}
  }

  private func report(_ report: @escaping @Sendable () -> Report, _ receipt: (@Sendable () -> Void)? = nil) async {
    guard !Task.isCancelled else { return }
    await port(EffectReport(token: token, content: report, receipt: receipt, tally: tally))
  }
}
