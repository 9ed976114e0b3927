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

  private func report(_ report: Report, _ receipt: (@Sendable () -> Void)?) async {
    guard !Task.isCancelled else { return }
    await port(EffectReport(token: token, content: report, receipt: receipt))
  }
}
