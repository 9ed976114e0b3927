import RibServer

/// The inspector's way to the server that it shows.
struct InspectorService: Sendable {
  /// The server at this moment.
  let overview: @Sendable () -> Look<ServerOverview>
  /// The sessions that come first.
  let sessions: @Sendable (SessionSearch) -> Look<SessionList>
  /// A session, as an operator looks; nil if it is not here.
  let session: @Sendable (_ id: String, _ name: String) -> Look<SessionDetail?>
  /// How long riblets take.
  let riblets: @Sendable () -> Look<RibletReport>
  /// The session store.
  let store: @Sendable () -> Look<StoreReport>
  /// How clients sign in.
  let signIn: @Sendable () -> Look<SignInReport>
  /// The settings in force.
  let settings: @Sendable () -> Look<[SettingReport]>
  /// The log.
  let log: @Sendable () -> Look<LogReport>
  /// The causes of death of earlier processes.
  let crashes: @Sendable () -> Look<CrashSummary>
  /// The names of the server's apps.
  let apps: [String]
  /// Whether states of sessions may be seen.
  let showsState: @Sendable () -> Bool
  /// Whether operators are offered an operation that concerns no session.
  let offers: @Sendable (Operation) -> Bool
  /// Does something for an operator, and says in a sentence what has become of it.
  let perform: @Sendable (_ operation: Operation, _ name: String) async throws -> String
}

/// A look at something, again and again until it ends.
struct Look<Value: Sendable>: Sendable {
  /// Looks.
  let next: @Sendable () async throws -> Value
  /// Ends what the server does while somebody looks.
  let end: @Sendable () -> Void

  /// A look.
  ///
  /// - Parameters:
  ///   - end: ends what the server does while somebody looks; nothing unless given.
  ///   - next: looks.
  init(end: @escaping @Sendable () -> Void = {}, next: @escaping @Sendable () async throws -> Value) {
    self.next = next
    self.end = end
  }
}
