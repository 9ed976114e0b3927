public import Wire

/// The session that a root riblet is built for: its name, its clients, and the person behind its first client.
public struct SessionContext: Sendable {
  /// The session's name, as its clients know it.
  public let id: String
  /// The clients of the session that are connected now.
  public let clients: ConnectedClients
  /// What the client that has begun the session said of itself then: its program, language and time zone.
  ///
  /// This is kept with the session; each text has 128 bytes at most.
  public let client: ClientInfo
  /// The person behind the client that has begun the session, as known at present.
  public let identity: CurrentIdentity
  private let signOutPerson: @Sendable (Identity) async throws -> Void

  /// The context of a session.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - clients: the connected clients; none unless given, for a test.
  ///   - client: what the client that has begun the session has said of itself; nothing unless given.
  ///   - identity: the person behind that client; none unless given.
  ///   - signOut: what ``signOutEverywhere()`` does; nothing unless given.
  public init(
    id: String, clients: ConnectedClients = ConnectedClients(), client: ClientInfo = ClientInfo(),
    identity: CurrentIdentity = CurrentIdentity(),
    signOut: @escaping @Sendable (Identity) async throws -> Void = { _ in }
  ) {
    self.id = id
    self.clients = clients
    self.client = client
    self.identity = identity
    signOutPerson = signOut
  }

  /// Signs out the person behind the session: the person's clients end in all sessions, this one included.
  ///
  /// To be called in an effect; the call does nothing if nobody is signed in.
  ///
  /// - Throws: the store's error if the sign-out could not be stored for other processes and restarts: call this again then.
  public func signOutEverywhere() async throws {
    if let identity = identity.value { try await signOutPerson(identity) }
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
/// ``Effect/track(_:in:while:id:)`` has others see who is there as long as a client is connected. For something else that ends with the last client,
/// run a `resumable` effect without `mayMiss` as long as ``count`` is greater than 0. While the effect runs, the session does not rest with a client
/// connected, and so is told when that client goes.
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
