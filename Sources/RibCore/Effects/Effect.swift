/// What a reducer wants done: a value, carried out by the runtime after the transaction in which it was returned.
///
/// `send` and `output` belong to the same transaction: they are queued and handled in order before it ends. `run` starts
/// when the transaction is committed.
public struct Effect<Source: Interactor>: Sendable {
  /// The work of a running effect.
  ///
  /// It captures what is `Sendable` and reports through `send`; the state is out of reach.
  public typealias Work = @Sendable (_ send: Send<Source>) async throws -> Void

  /// What is done about an error that the work of an effect has thrown.
  public typealias ErrorHandler = @Sendable (_ error: any Error, _ send: Send<Source>) async -> Void

  /// Asynchronous work, and how it is to be run.
  struct Run: Sendable {
    var id: EffectID?
    var cancelsInFlight = false
    /// The key of the effect that this one repeats.
    var key: IdempotencyKey?
    /// Makes what one execution consists of; called in the transaction that wants it.
    let execute: @Sendable () -> Execution
  }

  /// One execution of a ``Run``.
  struct Execution: Sendable {
    /// Whether the session may rest meanwhile.
    let rest: EffectRest
    let work: Work
  }

  /// An effect that is let through once in a while.
  struct Throttle: Sendable {
    let id: EffectID
    let duration: Duration
    let clock: any Clock<Duration>
    /// Whether the last effect that was held back is let through at the end.
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
    case refuse(String)
    case merge([Effect])
    case concatenate([Effect])
    case throttle(Throttle)
    /// The time of a throttled effect is over.
    case endThrottle(Throttle)
  }

  let operation: Operation

  /// Nothing to do.
  public static var none: Effect { Effect(operation: .none) }

  /// Refuses what is being done: the whole transaction is undone, as if it had not begun, and nothing else happens.
  ///
  /// A client whose action it was is answered by a `nack` with the code `refused` and the first 512 bytes of the reason. Where an
  /// effect has sent the action, the refusal is logged. A refusal by `didBecomeActive` or `didRestore` while the session starts or
  /// comes back concerns the whole session: its clients are told that it failed, and what the store has of it stays as it is.
  ///
  ///     guard !draft.isEmpty else { return .refuse("There is nothing to send.") }
  ///
  /// - Parameter reason: a sentence for the user or for the client's developer, as app and client agree.
  /// - Returns: the effect.
  public static func refuse(_ reason: String) -> Effect { Effect(operation: .refuse(reason)) }

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
  /// error that it throws ends it. `handler` is told of it, cancellation excepted, and can report it as an internal action;
  /// without one it is logged with the riblet's name.
  ///
  ///     .run(id: "load") { send in
  ///       await send(.loaded(try await database.page(1)))
  ///     } catch: { error, send in
  ///       await send(.failed("\(error)"))
  ///     }
  ///
  /// - Parameters:
  ///   - id: a name by which it can be cancelled.
  ///   - cancelInFlight: whether to cancel what runs under the same name first.
  ///   - resumable: whether it may be interrupted while the session is idle, since `didBecomeActive` or `didRestore` starts
  ///     it again when the session wakes. With a client connected, it keeps the session awake all the same.
  ///   - mayMiss: whether a resumable one may be interrupted also while a client is connected: the session rests after
  ///     `limits.idleRestSeconds` without an action, and what the work would have reported until it wakes is not reported.
  ///   - key: the key of the interrupted effect that this one repeats; it gets one of its own if nil.
  ///   - work: what to do.
  ///   - handler: told of an error that the work has thrown.
  /// - Returns: the effect.
  public static func run(
    id: (some Hashable & Sendable)?, cancelInFlight: Bool = false, resumable: Bool = false, mayMiss: Bool = false,
    key: IdempotencyKey? = nil, _ work: @escaping Work, `catch` handler: ErrorHandler? = nil
  ) -> Effect {
    let rest = EffectRest(isResumable: resumable, mayMiss: mayMiss)
    return run(id.map { EffectID($0) }, cancelInFlight, rest, key, work, handler)
  }

  /// Runs asynchronous work that has no name, as ``run(id:cancelInFlight:resumable:mayMiss:key:_:catch:)`` does.
  ///
  /// - Parameters:
  ///   - resumable: whether it may be interrupted while the session is idle and has no client connected.
  ///   - mayMiss: whether a resumable one may be interrupted also while a client is connected.
  ///   - key: the key of the interrupted effect that this one repeats; it gets one of its own if nil.
  ///   - work: what to do.
  ///   - handler: told of an error that the work has thrown.
  /// - Returns: the effect.
  public static func run(
    resumable: Bool = false, mayMiss: Bool = false, key: IdempotencyKey? = nil, _ work: @escaping Work,
    `catch` handler: ErrorHandler? = nil
  ) -> Effect { run(nil, false, EffectRest(isResumable: resumable, mayMiss: mayMiss), key, work, handler) }

  private static func run(
    _ id: EffectID?, _ cancelsInFlight: Bool, _ rest: EffectRest, _ key: IdempotencyKey?, _ work: @escaping Work,
    _ handler: ErrorHandler?
  ) -> Effect {
    let work = handler.map { caught(work, by: $0) } ?? work
    let run = Run(id: id, cancelsInFlight: cancelsInFlight, key: key) { Execution(rest: rest, work: work) }
    return Effect(operation: .run(run))
  }

  private static func caught(_ work: @escaping Work, by handler: @escaping ErrorHandler) -> Work {
    { send in
      do {
        try await work(send)
      } catch let error as CancellationError where Task.isCancelled {
        throw error
      } catch {
        await handler(error, send)
      }
    }
  }

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
