/// The session that an app builds a root for.
public struct SessionContext: Sendable {
  /// The session's name, as its clients know it.
  public let id: String
  /// Its clients that are connected.
  public let clients: ConnectedClients

  /// A context.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - clients: its clients that are connected.
  public init(id: String, clients: ConnectedClients = ConnectedClients()) {
    self.id = id
    self.clients = clients
  }
}

/// How many clients of a session are connected: by a WebSocket, or by the stream of events of the HTTP API.
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       .observe(session.clients, id: "clients") { .clientsChanged($0) }
///     }
///
/// A session starts, and comes back into memory, before its client is connected: ``count`` is 0 in `didBecomeActive` then, and an
/// effect that observes the clients reports the first one at once. A session that rests is not woken by a client that comes or
/// goes; when it wakes, the number of that moment is reported.
public final class ConnectedClients: Sendable {
  let shared: SharedValue<Int>

  /// Clients.
  ///
  /// - Parameter count: how many are connected.
  public init(_ count: Int = 0) { shared = SharedValue(count) }

  /// How many are connected.
  public var count: Int { shared.value }

  /// Takes note of clients that have come or gone: for a session's driver, and for tests.
  ///
  /// - Parameter count: how many are connected now.
  public func update(to count: Int) {
    if shared.value != count { shared.update { $0 = count } }
  }
}

extension Effect {
  /// Sends the riblet an internal action for how many clients are connected, now and whenever that changes.
  ///
  /// - Parameters:
  ///   - clients: of the session.
  ///   - id: a name by which it can be cancelled; what runs under it already is cancelled.
  ///   - action: makes the action for their number.
  /// - Returns: the effect.
  public static func observe(
    _ clients: ConnectedClients, id: some Hashable & Sendable,
    _ action: @escaping @Sendable (Int) -> Source.InternalAction
  ) -> Effect {
    observe({ PublicationReader(fromTheOldestIn: clients.shared.publications) }, id: EffectID(id), action) { _ in
      .always
    }
  }
}
