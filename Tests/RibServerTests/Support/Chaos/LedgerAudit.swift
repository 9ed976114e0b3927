import Foundation
import GRDB
import Synchronization
import Wire

/// Compares the ledger's book with what is committed, while nobody writes to either.
///
/// It reads the store's file with a mind of its own, not with the server's.
struct LedgerAudit {
  /// What is committed of a session.
  struct Stored {
    let count: Int
    let lastPayment: Int
    let unpaid: Int
    /// The last action of each client that was run or refused.
    let numbers: [Int]
    /// How often the session was loaded.
    let loads: Int

    /// The last action of a client that was run or refused.
    func number(of client: Int) -> Int { numbers.indices.contains(client - 1) ? numbers[client - 1] : -1 }
  }

  let book: String
  private let readStore: () throws -> [String: Stored]
  private var offset: UInt64 = 0
  /// By idempotency key, the payment; and the other way round.
  private var payments: [String: Int] = [:]
  private var keys: [String: [Int: String]] = [:]
  /// Lines, and those that repeat another.
  private(set) var lines = 0
  private(set) var repetitions = 0
  private(set) var deviations: [String] = []

  /// An audit of a store in a file.
  init(stateDirectory: String, book: String) {
    self.init(book: book) { try Self.readStore(in: stateDirectory) }
  }

  /// An audit of what `readStore` finds, by session.
  init(book: String, readStore: @escaping () throws -> [String: Stored]) {
    (self.book, self.readStore) = (book, readStore)
  }

  /// Looks, after the server's process has ended.
  ///
  /// - Parameter clients: what each was told: none may have been told what is not committed.
  /// - Returns: what is committed, by session.
  /// - Throws: `DatabaseError`, or what the system says, if the store or the book cannot be read.
  mutating func look(_ clients: [(name: String, told: ChaosClient.Told)]) throws -> [String: Stored] {
    let stored = try readStore()
    try readBook()
    for (session, paid) in keys {
      let last = stored[session]?.lastPayment ?? 0
      if let early = paid.keys.first(where: { $0 > last }) {
        deviations.append("Payment \(early) of \(session) is in the book; \(last) is the last that is committed.")
      }
    }
    for (name, told) in clients {
      guard let session = told.sessionID else { continue }
      guard let state = stored[session] else {
        deviations.append("Session \(session) of \(name) is not in the store.")
        continue
      }
      if told.number > state.number(of: told.clientID) || told.count > state.count {
        deviations.append("\(name) was told \(told), and committed is \(state).")
      }
    }
    return stored
  }

  /// Whether the book has all payments of a session.
  func has(_ number: Int, of session: String) -> Bool { number == 0 || keys[session]?.count == number }

  private mutating func readBook() throws {
    guard let file = FileHandle(forReadingAtPath: book) else { return }
    defer { try? file.close() }
    try file.seek(toOffset: offset)
    let data = try file.readToEnd() ?? Data()
    offset += UInt64(data.count)
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ")
      // A key begins with the session's name and a dot.
      guard parts.count == 2, let number = Int(parts[1]), let session = parts[0].split(separator: ".").first else {
        deviations.append("The book has the line \"\(line)\".")
        continue
      }
      note(number, String(parts[0]), String(session))
    }
  }

  private mutating func note(_ number: Int, _ key: String, _ session: String) {
    lines += 1
    if payments[key] == number { repetitions += 1 }
    if let other = payments[key], other != number { deviations.append("\(key) is payment \(other) and \(number).") }
    if let other = keys[session]?[number], other != key {
      deviations.append("Payment \(number) of \(session) was made twice: as \(other) and as \(key).")
    }
    payments[key] = number
    keys[session, default: [:]][number] = key
  }

  private static func isOtherVersions(_ state: JSONValue) -> Bool {
    state["count"] == .string("none") || state == .object(["count": .integer(0)])
  }

  /// Reads a copy, so that what it does to the journal is not the server's concern.
  private static func readStore(in stateDirectory: String) throws -> [String: Stored] {
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("audit-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    for name in ["sessions.sqlite", "sessions.sqlite-wal"] {
      let path = "\(stateDirectory)/\(name)"
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.copyItem(atPath: path, toPath: "\(copy)/\(name)")
      }
    }
    let queue = try DatabaseQueue(path: "\(copy)/sessions.sqlite")
    let rows = try queue.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT sid, session.lease, clients, progress.ops AS numbers, coalesce(change.ops, node.state) AS state FROM session
          JOIN node ON node.session = session.id AND node.id = session.root
          LEFT JOIN change ON change.session = node.session AND change.node = node.id AND change.seq = 0
          LEFT JOIN change AS progress ON progress.session = session.id AND progress.node = 0 AND progress.seq = 0
          WHERE app = 'ledger'
          """)
    }
    try queue.close()
    var stored: [String: Stored] = [:]
    for row in rows {
      let state = try JSONValue(parsing: row["state"])
      // What another version of the program has begun, as a client's first word has reached it late: that client has
      // a session by then.
      if isOtherVersions(state) { continue }
      stored[row["sid"]] = try Stored(
        state: row["state"], clients: row["clients"], numbers: row["numbers"], loads: (row["lease"] as Int) - 1)
    }
    return stored
  }
}

extension LedgerAudit.Stored {
  /// What a store has of a session.
  ///
  /// - Parameters:
  ///   - state: of the ledger.
  ///   - clients: the clients' records.
  ///   - later: a try and a number for each, since then; nil if the records have them.
  ///   - loads: how often it was loaded.
  /// - Throws: if that is not what a ledger has.
  init(state: String, clients: String, numbers later: String?, loads: Int) throws {
    let state = try JSONValue(parsing: state)
    guard case .array(let clients) = try JSONValue(parsing: clients), case .array(let unpaid)? = state["unpaid"] else {
      throw CocoaError(.fileReadCorruptFile)
    }
    var numbers = clients.map { $0["number"]?.wholeNumber ?? -1 }
    if let later {
      guard case .array(let pairs) = try JSONValue(parsing: later), pairs.count == 2 * clients.count else {
        throw CocoaError(.fileReadCorruptFile)
      }
      numbers = clients.indices.map { pairs[2 * $0 + 1].wholeNumber ?? -1 }
    }
    self.init(
      count: state["count"]?.wholeNumber ?? -1, lastPayment: state["lastPayment"]?.wholeNumber ?? -1,
      unpaid: unpaid.count, numbers: numbers, loads: loads)
  }
}
