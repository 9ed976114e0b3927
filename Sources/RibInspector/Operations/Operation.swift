/// Something that an operator does to the server, once it is confirmed.
enum Operation: Codable, Hashable {
  /// A client is told to connect again.
  case reconnect(session: String, client: Int)
  /// The person behind a client is signed out everywhere; a client of nobody cannot come back to its session.
  case signOut(session: String, client: Int)
  /// A session ends for all of its clients.
  case end(session: String)
  /// A session is recorded from its next return to memory on.
  case record(session: String)
  /// Actions and effects of a session that processes have died of are run again.
  case lift(session: String)
  /// The store is copied to a file.
  case backUp
  /// Clients are asked to go elsewhere, and the server stops.
  case drain
  /// The settings are read again.
  case reload
  /// The issuer's keys are fetched again.
  case refetchKeys
  /// An address may try to sign in again.
  case unblock(address: String)
  /// The log is written from a level on, for a while.
  case writeLog(from: LogLevel)

  /// The session that it is about; nil for none.
  var session: String? {
    switch self {
    case .reconnect(let session, _), .signOut(let session, _), .end(let session), .record(let session),
      .lift(let session):
      session
    case .backUp, .drain, .reload, .refetchKeys, .unblock, .writeLog: nil
    }
  }

  /// The operation's name in the audit.
  var name: String {
    switch self {
    case .reconnect(_, let client): "reconnect client \(client)"
    case .signOut(_, let client): "sign out client \(client)"
    case .end: "end session"
    case .record: "record session"
    case .lift: "lift poison"
    case .backUp: "back up"
    case .drain: "drain"
    case .reload: "reload settings"
    case .refetchKeys: "refetch keys"
    case .unblock(let address): "unblock \(address)"
    case .writeLog(let level): "write the log from \(level.rawValue)"
    }
  }
}

extension Operation {
  /// The question that the operator is asked.
  var question: String {
    switch self {
    case .reconnect(let session, let client): "Ask client \(client) of session \(session) to connect again?"
    case .signOut(let session, let client): "Sign out client \(client) of session \(session)?"
    case .end(let session): "End session \(session)?"
    case .record(let session): "Record session \(session)?"
    case .lift(let session): "Run the set-aside activities of session \(session) again?"
    case .backUp: "Back up the store?"
    case .drain: "Stop this server?"
    case .reload: "Read the settings again?"
    case .refetchKeys: "Fetch the issuer's keys again?"
    case .unblock(let address): "Let \(address) try to sign in again?"
    case .writeLog(let level): "Write log lines at level \(level.rawValue) and above?"
    }
  }

  /// The consequence of the operation, in a sentence or two.
  var consequence: String {
    switch self {
    case .reconnect: "The client's connection ends. The client connects again by itself, and nothing is lost."
    case .signOut:
      """
      All clients of the person leave all sessions. They cannot come back with their present credentials. A client that is \
      not signed in leaves this session only, and cannot come back to it.
      """
    case .end: "The server tells all clients that the session has ended. Its data is deleted, also from the store."
    case .record:
      """
      The server asks the session to leave memory now. When the session comes back, the server records its messages to a \
      file in the directory of recordings, for a day. Recordings contain what users have typed.
      """
    case .lift: "If the app's fault is not fixed, the process may die again."
    case .backUp: "The server copies the store while it runs."
    case .drain:
      """
      The server asks its clients to connect elsewhere, and the process ends. A person or a supervisor has to start it again.
      """
    case .reload: "Some settings cannot change while the server runs. Their new values wait for a restart."
    case .refetchKeys: "Clients with an unknown key can then sign in, if the issuer has the key."
    case .unblock: "This address has sent too many wrong credentials."
    case .writeLog:
      """
      After ten minutes the level of the settings holds again. The lines go where the program writes its log, and may be \
      many. This page does not show lines below the level notice.
      """
    }
  }

  /// Whether something is lost by it, or somebody put out.
  var isDestructive: Bool {
    switch self {
    case .signOut, .end, .drain: true
    case .reconnect, .record, .lift, .backUp, .reload, .refetchKeys, .unblock, .writeLog: false
    }
  }
}
