/// The session that a root riblet is built for: its name and its clients.
public struct SessionContext: Sendable {
  /// The session's name, as its clients know it.
  public let id: String
  /// The clients of the session that are connected now.
  public let clients: ConnectedClients

  /// The context of a session.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - clients: the connected clients; none unless given, for a test.
  public init(id: String, clients: ConnectedClients = ConnectedClients()) {
    self.id = id
    self.clients = clients
  }
}

/// How many clients of a session are connected, by a WebSocket or by the event stream of the HTTP API: for riblets that
/// show presence or do less while no client looks.
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       .observe(session.clients, id: "clients") { .clientsChanged($0) }
///     }
///
/// A session starts, and comes back into memory, before its client is connected: ``count`` is 0 in `didBecomeActive` then,
/// and an effect that observes the clients reports the first one at once. A client that comes or goes does not wake a
/// resting session; when the session wakes, its riblets are told the present number.
///
/// For presence that ends with the last client, run a `resumable` effect without `mayMiss` as long as ``count`` is
/// greater than 0. While the effect runs, the session does not rest with a client connected, and so is told when that
/// client goes.
public final class ConnectedClients: Sendable {
  let shared: SharedValue<Int>

  /// A count of connected clients; 0 unless given.
  public init(_ count: Int = 0) { shared = SharedValue(count) }

  /// The number of connected clients.
  public var count: Int { shared.value }

  /// Sets the number of connected clients: called by the session's driver, or by a test.
  ///
  /// Observers are told only after a change. Call it from one thread at a time.
  public func update(to count: Int) {
    if shared.value != count { shared.update { $0 = count } }
  }
}

extension Effect {
  /// Sends the riblet an internal action with the number of connected clients, now and whenever the number changes.
  ///
  /// Each action has the number as it is when the reducer runs. Numbers in between may be left out, but never the last: a client that
  /// comes back soon may not have been seen to be gone.
  ///
  /// - Parameters:
  ///   - clients: the clients of the session, from its ``SessionContext``.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - action: makes the action for a number of clients.
  /// - Returns: an effect that runs until it is cancelled, and lets the session rest.
  public static func observe(
    _ clients: ConnectedClients, id: some Hashable & Sendable,
    _ action: @escaping @Sendable (Int) -> Source.InternalAction
  ) -> Effect {
    observe(
      { PublicationReader(fromTheOldestIn: clients.shared.publications) }, id: EffectID(id), onlyNewest: true, action
    ) { _ in .always }
  }
}
