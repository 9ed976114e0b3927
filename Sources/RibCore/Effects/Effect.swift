/// What a reducer wants done: a value, which the runtime carries out.
///
/// `send` and `output` belong to the transaction in which the reducer returns them: they are queued, and handled in
/// order before it ends. `run` starts when that transaction is committed.
public struct Effect<Source: Interactor>: Sendable {
  /// The work of a running effect.
  ///
  /// It captures `Sendable` values only, and reports through `send`: the riblet's state is out of its reach.
  public typealias Work = @Sendable (_ send: Send<Source>) async throws -> Void

  /// Asynchronous work and how to run it.
  struct Run: Sendable {
    var id: EffectID?
    var cancelsInFlight = false
    /// The key of the interrupted effect that this one repeats; nil for a new key.
    var key: IdempotencyKey?
    /// Makes one execution; called within the transaction that starts the effect.
    let execute: @Sendable () -> Execution
  }

  /// One execution of a ``Run``.
  struct Execution: Sendable {
    /// Whether the session may rest during this execution.
    let rest: EffectRest
    let work: Work
  }

  /// An effect that is let through only if none of the same name was let through a while ago.
  struct Throttle: Sendable {
    let id: EffectID
    let duration: Duration
    let clock: any Clock<Duration>
    /// Whether the last effect held back is let through at the end.
    let latest: Bool
    let effect: Effect
  }

  indirect enum Operation: Sendable {
    case none
    case send(Source.InternalAction)
    case output(Source.Output)
    case publish(Announcement)
    case run(Run)
    case cancel(EffectID)
    case refuse(String)
    case merge([Effect])
    case concatenate([Effect])
    case throttle(Throttle)
    /// The time in which a throttled effect holds back others is over.
    case endThrottle(Throttle)
  }

  let operation: Operation

  /// No effect.
  public static var none: Effect { Effect(operation: .none) }

  /// Refuses the event: the whole transaction is rolled back, and nothing else happens.
  ///
  /// If the event was a client's action, the client is answered by a `nack` with the code `refused` and the first 512 bytes
  /// of the reason. If it was a report of an effect, only the log has the reason. A refusal by `didBecomeActive` or
  /// `didRestore` while a session starts or is restored concerns the whole session: its clients are told that it failed, and
  /// the store keeps what it has of it.
  ///
  ///     guard !draft.isEmpty else { return .refuse("There is nothing to send.") }
  ///
  /// - Parameter reason: a sentence for the user or for the client's developer, as app and client agree.
  /// - Returns: an effect that rolls back the transaction in which it is returned.
  public static func refuse(_ reason: String) -> Effect { Effect(operation: .refuse(reason)) }

  /// Sends the riblet an internal action, in the same transaction, after what is queued already.
  public static func send(_ action: Source.InternalAction) -> Effect { Effect(operation: .send(action)) }

  /// Tells the parent that something happened, in the same transaction, after what is queued already.
  public static func output(_ output: Source.Output) -> Effect { Effect(operation: .output(output)) }

  /// Runs asynchronous work, off the session's loop, once the transaction is committed.
  ///
  /// The work is cancelled when its node is detached or deactivated, and nothing that it sends afterwards arrives. If
  /// the work throws, the effect ends. The error goes to `handler`, unless it is the work's own cancellation; without a
  /// handler it is logged with the riblet's type name.
  ///
  ///     .run(id: "load") { send in
  ///       await send(.loaded(try await database.page(1)))
  ///     } catch: { error, send in
  ///       await send(.failed("\(error)"))
  ///     }
  ///
  /// - Parameters:
  ///   - id: a name to cancel the effect by; nil for none.
  ///   - cancelInFlight: whether to cancel first what runs under this name; without a name there is nothing to cancel.
  ///   - resumable: whether the session may rest while the effect runs, because `didBecomeActive` or `didRestore`
  ///     starts the effect again when the session wakes. While a client is connected, the effect keeps the session
  ///     awake all the same.
  ///     Such an effect mostly waits for others: what its reports take of the loop is charged to no client.
  ///   - mayMiss: whether a resumable effect lets the session rest also while a client is connected: after
  ///     `limits.idleRestSeconds` without an action. What the work would have reported until the session wakes is not
  ///     reported.
  ///   - key: the key of the interrupted effect that this one repeats; nil for a new key.
  ///   - work: what to do.
  ///   - handler: handles an error that the work has thrown, and may report it as an internal action with `send`; nil to
  ///     have the error logged.
  /// - Returns: an effect that ends when the work does.
  public static func run(
    id: (any Hashable & Sendable)? = nil, cancelInFlight: Bool = false, resumable: Bool = false, mayMiss: Bool = false,
    key: IdempotencyKey? = nil, _ work: @escaping Work,
    `catch` handler: (@Sendable (_ error: any Error, _ send: Send<Source>) async -> Void)? = nil
  ) -> Effect {
    let rest = EffectRest(isResumable: resumable, mayMiss: mayMiss)
    let work = handler.map { caught(work, by: $0) } ?? work
    let run = Run(id: id.map { EffectID($0) }, cancelsInFlight: cancelInFlight, key: key) {
      Execution(rest: rest, work: work)
    }
    return Effect(operation: .run(run))
  }

  private static func caught(
    _ work: @escaping Work, by handler: @escaping @Sendable (any Error, Send<Source>) async -> Void
  ) -> Work {
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

  /// Cancels the node's effects of a name; nothing that they send afterwards arrives.
  public static func cancel(id: some Hashable & Sendable) -> Effect { Effect(operation: .cancel(EffectID(id))) }

  /// Effects side by side, begun in this order: none waits for another.
  public static func merge(_ effects: [Effect]) -> Effect { Effect(operation: .merge(effects)) }

  /// Effects side by side, begun in this order: none waits for another.
  public static func merge(_ effects: Effect...) -> Effect { merge(effects) }
}
