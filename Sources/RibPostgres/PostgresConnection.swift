import CPQ
import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connection to PostgreSQL, through libpq (<https://www.postgresql.org/docs/current/libpq.html>); for one thread at a time.
///
/// Statements are sent together and answered together (libpq's pipeline mode): one round trip, however many there are.
final class PostgresConnection {
  /// How long the server may take for an answer, in milliseconds: after that it is not known what has become of the statements, and the
  /// connection is of no use.
  static let patience = 5000

  private let connection: OpaquePointer
  private var prepared: Set<String> = []  // safe text: own
  private let notices = Notices()
  /// Whether the connection has failed.
  private(set) var isBroken = false

  /// Hears what the server says beside its answers.
  private final class Notices {
    /// Whether a commit may not be on the standby that it has to wait for.
    var hasCancelledWait = false
  }

  /// Connects.
  ///
  /// - Parameters:
  ///   - url: a connection string or URI of libpq, also with several hosts; the one is taken that can be written to.
  ///   - connectSeconds: how long each host may take to answer, where the URL does not say; 2 at least.
  /// - Throws: ``StoreError`` that says what to do.
  init(_ url: String, connectSeconds: Int = 5) throws(StoreError) {
    // The connection string stands behind the settings that it may override, and before those that it may not.
    let settings = [
      ("connect_timeout", "\(connectSeconds)"), ("tcp_user_timeout", "\(Self.patience)"),
      ("application_name", "ribserver"),
      ("dbname", url),
      ("client_encoding", "UTF8"), ("target_session_attrs", "read-write"),
    ]
    let keys = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { (keys + values).forEach { free($0) } }
    let opened = (keys.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keys in
      (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
        PQconnectdbParams(keys.baseAddress, values.baseAddress, 1)
      }
    }
    guard let opened else { throw StoreError("There is no memory for a connection to PostgreSQL.") }
    guard PQstatus(opened) == CONNECTION_OK else {
      defer { PQfinish(opened) }
      throw StoreError("There is no connection to PostgreSQL: \(Self.line(PQerrorMessage(opened)))")
    }
    connection = opened
    PQsetNoticeReceiver(
      opened,
      { context, result in
        guard let context, let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return }
        // A wait for the synchronous standby that was cancelled: the commit is only here.
        if String(cString: state) == "01000" {
          Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().hasCancelledWait = true
        }
      }, Unmanaged.passUnretained(notices).toOpaque())
    PQsetnonblocking(opened, 1)
    PQenterPipelineMode(opened)
  }

  deinit { PQfinish(connection) }

  /// The number of the server's process for it.
  var backend: Int { Int(PQbackendPID(connection)) }

  /// Runs statements in one round trip.
  ///
  /// - Parameters:
  ///   - statements: in order; those behind one that fails are not run.
  ///   - patience: how long the server may take, in milliseconds.
  /// - Returns: a result for each.
  /// - Throws: ``PostgresError``. If the connection is broken then, it is not known what was run.
  func run(
    _ statements: [PostgresStatement], patience: Int = patience
  ) throws(PostgresError) -> [PostgresResult] {
    notices.hasCancelledWait = false
    /// For each expected result, whether it is a statement's; of one that is prepared nothing is returned.
    var expected: [Bool] = []
    for statement in statements {
      let query = statement.query
      if let name = query.name, prepared.insert(name).inserted {
        try check(PQsendPrepare(connection, name, query.sql, 0, nil))
        expected.append(false)
      }
      try send(statement)
      expected.append(true)
    }
    try check(PQpipelineSync(connection))
    return try receive(expected, patience)
  }

  private func send(_ statement: PostgresStatement) throws(PostgresError) {
    let parameters = statement.parameters.map(\.bytes)
    guard parameters.allSatisfy({ $0?.count ?? 0 < 1 << 30 }) else {
      throw PostgresError("A value of more than a gibibyte cannot be written.", state: "54000", isBroken: false)
    }
    let lengths = parameters.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    // One buffer for all, as each has to stay where it is until libpq has copied it.
    let whole = parameters.reduce(into: [UInt8]()) { $0 += $1 ?? [] } + [0]
    let sent = whole.withUnsafeBytes { whole in
      var (place, pointers) = (0, [UnsafePointer<CChar>?]())
      for parameter in parameters {
        pointers.append(
          parameter == nil ? nil : whole.baseAddress?.advanced(by: place).assumingMemoryBound(to: CChar.self))
        place += parameter?.count ?? 0
      }
      guard let name = statement.query.name else {
        return PQsendQueryParams(
          connection, statement.query.sql, Int32(parameters.count), nil, pointers, lengths, formats, 1)
      }
      return PQsendQueryPrepared(connection, name, Int32(parameters.count), pointers, lengths, formats, 1)
    }
    try check(sent)
  }

  private func receive(_ expected: [Bool], _ patience: Int) throws(PostgresError) -> [PostgresResult] {
    var results: [PostgresResult] = []
    var failure: PostgresError?
    let end = Self.now + patience
    var index = 0
    while true {
      guard let result = try next(until: end, patience) else {
        // The end of one statement's results.
        index += 1
        continue
      }
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        if let failure { throw failure }
        guard !notices.hasCancelledWait else {
          throw broken("PostgreSQL did not wait until the standby has the commit.")
        }
        return results
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        if index < expected.count, expected[index] { results.append(PostgresResult(result)) } else { PQclear(result) }
      case PGRES_PIPELINE_ABORTED:
        PQclear(result)
      default:
        failure = failure ?? PostgresError(result, isBroken: PQstatus(connection) != CONNECTION_OK)
        PQclear(result)
        if PQstatus(connection) != CONNECTION_OK {
          isBroken = true
          throw failure ?? broken()
        }
      }
    }
  }

  /// Ends the transaction, if there is one, after a statement has failed.
  ///
  /// - Throws: ``PostgresError``; the connection is of no use then.
  func rollback() throws(PostgresError) {
    // Of those behind the one that failed none was prepared.
    prepared = []
    _ = try run([PostgresStatement(.rollback), PostgresStatement(Self.forget)])
  }

  private static let forget = PostgresQuery("DEALLOCATE ALL", isPrepared: false)

  /// The next result; nil at the end of one statement's.
  private func next(until end: Int, _ patience: Int) throws(PostgresError) -> OpaquePointer? {
    while true {
      let flushed = PQflush(connection)
      guard flushed >= 0 else { throw broken() }
      if flushed == 0, PQisBusy(connection) == 0 { return PQgetResult(connection) }
      var entry = pollfd(
        fd: PQsocket(connection), events: Int16(POLLIN) | (flushed > 0 ? Int16(POLLOUT) : 0), revents: 0)
      let count = poll(&entry, 1, Int32(clamping: max(end - Self.now, 0)))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw broken("PostgreSQL has not answered within \(patience) ms.") }
      if entry.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, PQconsumeInput(connection) == 0 { throw broken() }
    }
  }

  private func check(_ isSent: Int32) throws(PostgresError) {
    if isSent == 0 { throw broken() }
  }

  private func broken(_ text: String? = nil) -> PostgresError {
    isBroken = true
    return PostgresError(text ?? Self.line(PQerrorMessage(connection)), state: "08006", isBroken: true)
  }

  private static func line(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0).split(separator: "\n").joined(separator: " ") } ?? ""
  }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }
}

/// PostgreSQL has refused something, or the connection has failed.
struct PostgresError: Error {
  /// The server's message, or libpq's.
  let message: String
  /// The SQLSTATE, five characters.
  let state: String
  /// Whether the connection is of no use any more.
  let isBroken: Bool

  init(_ message: String, state: String, isBroken: Bool) {
    self.message = message
    self.state = state
    self.isBroken = isBroken
  }

  fileprivate init(_ result: OpaquePointer, isBroken: Bool) {
    let field = { (code: Character) -> String in
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
    }
    message = field("M")
    state = field("C")
    self.isBroken = isBroken
  }

  /// Whether the same would work if it were tried again: others were in the way.
  var isOfOthers: Bool { ["40001", "40P01", "55P03"].contains(state) }

  /// Whether somebody else has kept a lock for longer than it was waited for.
  var isOfLocks: Bool { state == "55P03" }

  /// Whether a value of the statement's is the reason: others may well be written.
  var isOfValues: Bool { ["22", "23", "54"].contains { state.hasPrefix($0) } }

  /// For the server's operator.
  var storeError: StoreError {
    StoreError("PostgreSQL: \(message) (\(state))", isGlobal: isBroken || !isOfValues)
  }
}
