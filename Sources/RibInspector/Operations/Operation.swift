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
    case .lift(let session): "Run again what is set aside of session \(session)?"
    case .backUp: "Back up the store?"
    case .drain: "Stop this server?"
    case .reload: "Read the settings again?"
    case .refetchKeys: "Fetch the issuer's keys again?"
    case .unblock(let address): "Let \(address) try to sign in again?"
    case .writeLog(let level): "Write the log from \(level.rawValue) on?"
    }
  }

  /// The consequence of the operation, in a sentence or two.
  var consequence: String {
    switch self {
    case .reconnect: "The client's connection ends. It comes back by itself, and nothing is lost."
    case .signOut:
      """
      The person's clients end in all sessions, and cannot come back with the credentials that they have. A client that nobody \
      has signed in to is put out of this session alone, for good.
      """
    case .end: "All of its clients are told that it is over. What is in it is deleted, also from the store."
    case .record:
      """
      All that is said in it is written to a file in the directory of recordings, for a day, from its next return to memory on; it \
      is asked to leave memory now. Recordings have what users have typed.
      """
    case .lift: "If the app was not mended, the process may die of it again."
    case .backUp: "The store is copied while the server runs."
    case .drain: "Clients are asked to go elsewhere, and the process ends. Something has to start it again."
    case .reload: "Those that cannot be changed while the server runs wait for a restart."
    case .refetchKeys: "Clients whose keys are unknown can sign in afterwards, if the issuer has the keys."
    case .unblock: "Too many credentials from there were wrong."
    case .writeLog:
      """
      For ten minutes, then that of the settings holds again. The lines go where the program writes its log; those below notice are \
      not shown here, and may be many.
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
