/// How a running effect reports to its riblet.
///
/// There is no way to send a view action.
public struct Send<Source: Interactor>: Sendable {
  enum Report: Sendable {
    case action(Source.InternalAction)
    case output(Source.Output)
  }

  let token: EffectToken
  /// What the effect can hand to a service so that it is done once, however often it is tried.
  public let idempotencyKey: IdempotencyKey
  let port: EffectPort

  /// Sends the riblet an internal action: a transaction of its own.
  ///
  /// Returns when that is done; does nothing if the effect was cancelled.
  ///
  /// - Parameter action: the action.
  public func callAsFunction(_ action: Source.InternalAction) async { await report(.action(action), nil) }

  /// The same, with a receipt when the tree has handed the action to the reducer.
  func callAsFunction(_ action: Source.InternalAction, receipt: @escaping @Sendable () -> Void) async {
    await report(.action(action), receipt)
  }

  /// Tells the riblet's parent: a transaction of its own.
  ///
  /// Returns when that is done; does nothing if the effect was cancelled.
  ///
  /// - Parameter output: what happened.
  public func output(_ output: Source.Output) async { await report(.output(output), nil) }

  /// Publishes a value at once; does nothing if the effect was cancelled.
  ///
  /// What is published in answer to an action, by ``Effect/publish(_:to:)``, waits for that action's commit instead.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - topic: where to.
  public func publish<Value: Sendable>(_ value: Value, to topic: Topic<Value>) {
    if !Task.isCancelled { topic.publish(value) }
  }

  /// Changes a shared value at once; does nothing if the effect was cancelled.
  ///
  /// - Parameters:
  ///   - shared: the value.
  ///   - change: changes it, whatever it has become meanwhile.
  public func update<Value: Sendable>(_ shared: SharedValue<Value>, _ change: (inout Value) -> Void) {
    if !Task.isCancelled { shared.update(change) }
  }

  /// Waits until the effect is cancelled: for what begins with it and has to be ended with it.
  ///
  ///     .run(id: "presence", resumable: true) { send in
  ///       send.update(present) { $0.insert(name) }
  ///       await send.untilCancelled()
  ///       present.update { $0.remove(name) }
  ///     }
  public func untilCancelled() async {
    // A stream that has no element ends when its reader's task is cancelled.
    for await _ in AsyncStream<Never>.makeStream().stream {}
  }

  private func report(_ report: Report, _ receipt: (@Sendable () -> Void)?) async {
    guard !Task.isCancelled else { return }
    await port(EffectReport(token: token, content: report, receipt: receipt))
  }
}
