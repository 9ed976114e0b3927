/// What a reducer wants done: a value, carried out by the runtime after the transaction in which it was returned.
///
/// `send` and `output` belong to the same transaction: they are queued and handled in order before it ends. `run` starts
/// when the transaction is committed.
public struct Effect<Source: Interactor>: Sendable {
  /// The work of a running effect.
  ///
  /// It captures what is `Sendable` and reports through `send`; the state is out of reach.
  public typealias Work = @Sendable (_ send: Send<Source>) async throws -> Void

  /// Asynchronous work, and how it is to be run.
  struct Run: Sendable {
    var id: EffectID?
    var cancelsInFlight = false
    var isResumable = false
    /// The key of the effect that this one repeats.
    var key: IdempotencyKey?
    let work: Work
  }

  /// An effect that is let through once in a while.
  struct Throttle: Sendable {
    let id: EffectID
    let duration: Duration
    let clock: any Clock<Duration>
    /// Whether the last one of those held back is let through at the end.
    let latest: Bool
    let effect: Effect
  }

  indirect enum Operation: Sendable {
    case none
    case send(Source.InternalAction)
    case output(Source.Output)
    case publish(@Sendable () -> Void)
    case run(Run)
    case cancel(EffectID)
    case merge([Effect])
    case concatenate([Effect])
    case throttle(Throttle)
    /// The time of a throttled effect is over.
    case endThrottle(Throttle)
  }

  let operation: Operation

  /// Nothing to do.
  public static var none: Effect { Effect(operation: .none) }

  /// Sends the riblet an internal action, in the same transaction, after what is queued already.
  ///
  /// - Parameter action: the action.
  /// - Returns: the effect.
  public static func send(_ action: Source.InternalAction) -> Effect { Effect(operation: .send(action)) }

  /// Tells the parent, in the same transaction, after what is queued already.
  ///
  /// - Parameter output: what happened.
  /// - Returns: the effect.
  public static func output(_ output: Source.Output) -> Effect { Effect(operation: .output(output)) }

  /// Runs asynchronous work, off the session's loop, once the transaction is committed.
  ///
  /// The work is cancelled when its node is detached or deactivated, and nothing that it sends afterwards arrives. An
  /// error that it throws ends it and is logged with the riblet's name, cancellation excepted: report what the riblet must
  /// know as an internal action.
  ///
  /// - Parameters:
  ///   - id: a name by which it can be cancelled.
  ///   - cancelInFlight: whether to cancel what runs under the same name first.
  ///   - resumable: whether it may be interrupted while the session is idle, since `didBecomeActive` or `didRestore` starts
  ///     it again when the session wakes.
  ///   - key: the key of the interrupted effect that this one repeats; it gets one of its own if nil.
  ///   - work: what to do.
  /// - Returns: the effect.
  public static func run(
    id: (some Hashable & Sendable)?, cancelInFlight: Bool = false, resumable: Bool = false,
    key: IdempotencyKey? = nil, _ work: @escaping Work
  ) -> Effect {
    let run = Run(
      id: id.map { EffectID($0) }, cancelsInFlight: cancelInFlight, isResumable: resumable, key: key, work: work)
    return Effect(operation: .run(run))
  }

  /// Runs asynchronous work that has no name, as ``run(id:cancelInFlight:resumable:key:_:)`` does.
  ///
  /// - Parameters:
  ///   - resumable: whether it may be interrupted while the session is idle.
  ///   - key: the key of the interrupted effect that this one repeats; it gets one of its own if nil.
  ///   - work: what to do.
  /// - Returns: the effect.
  public static func run(
    resumable: Bool = false, key: IdempotencyKey? = nil, _ work: @escaping Work
  ) -> Effect { Effect(operation: .run(Run(isResumable: resumable, key: key, work: work))) }

  /// Cancels what runs under a name, in this node; nothing that it sends afterwards arrives.
  ///
  /// - Parameter id: the name.
  /// - Returns: the effect.
  public static func cancel(id: some Hashable & Sendable) -> Effect { Effect(operation: .cancel(EffectID(id))) }

  /// Several effects, in this order, none of which waits for another.
  ///
  /// - Parameter effects: what to do.
  /// - Returns: the effect.
  public static func merge(_ effects: [Effect]) -> Effect { Effect(operation: .merge(effects)) }

  /// Several effects, in this order, none of which waits for another.
  ///
  /// - Parameter effects: what to do.
  /// - Returns: the effect.
  public static func merge(_ effects: Effect...) -> Effect { merge(effects) }
}
