import CurlTransport
import Foundation
import GRDB
import RibDevIssuer
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibServer

/// A store that is copied while daemons use it, and put back: as an operator does it, and as clients see it.
@Suite(.blocking, .timeLimit(.minutes(5))) struct BackupTests {
  private let directory: TemporaryDirectory
  private var state: String { "\(directory.path)/state" }
  private var copy: String { "\(directory.path)/copy.sqlite" }
  private var book: String { "\(directory.path)/book" }

  init() throws { directory = try TemporaryDirectory() }

  private func daemon(_ arguments: [String] = [], in state: String? = nil) throws -> Daemon {
    try Daemon(arguments, stateDirectory: state ?? self.state, environment: ["RIBD_LEDGER": book])
  }

  /// Runs `ribd` to its end.
  private func ribd(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try Program.run(Program.url("ribd"), arguments)
  }

  private func backUp() throws {
    let (status, output, errors) = try ribd("backup", copy, "--state-dir", state)
    try #require(status == 0, "\(errors)")
    #expect(output.hasPrefix("Copied to \(copy): "))
  }

  @discardableResult
  private func restore(in state: String? = nil, force: Bool = false) throws -> String {
    let (status, output, errors) = try Program.run(
      Program.url("ribd"),
      ["restore", copy, "--state-dir", state ?? self.state] + (force ? ["--force"] : []))
    try #require(status == 0, "\(errors)")
    return output
  }

  private static func pay(_ number: Int, as action: Int, _ client: PlainClient, count: Int) throws {
    try client.act(action, #"{"pay":\#(number)}"#)
    while try !client.next(#"{"t":"patch""#).contains(#""path":"/nodes/1/state/paid","value":\#(count)"#) {}
  }

  private func payments() throws -> [(key: Substring, payment: Substring)] {
    try String(contentsOfFile: book, encoding: .utf8).split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      return (parts[0], parts[1])
    }
  }

  // MARK: Clients and services

  /// What a payment service has seen since the copy was made is not taken for a repetition; and the copy's age is no absence.
  @Test func storeThatIsPutBack_meetsNoKeyTwice_andItsClientsGoOn() throws {
    let first = try daemon()
    let client = try PlainClient(first.url, app: "ledger")
    let welcome = try client.welcome
    try Self.pay(101, as: 1, client, count: 1)
    try Self.pay(102, as: 2, client, count: 2)
    try backUp()
    try Self.pay(103, as: 3, client, count: 3)
    try Self.pay(104, as: 4, client, count: 4)
    _ = first.stop(SIGKILL)
    // Longer ago than sessions wait for their clients.
    try DatabaseQueue(path: copy).write {
      try $0.execute(
        sql: "UPDATE clock SET seen = seen - 86400; UPDATE session SET seen = seen - 86400, acted = 1")
    }

    let said = try restore()
    #expect(said.hasPrefix("Put back to \(state): 1 sessions, as they were at 2"), "\(said)")
    #expect(said.contains("The store that was there is \(state)/sessions.sqlite.replaced-1: "), "\(said)")
    let second = try daemon(["--sessions-time-to-live-seconds", "3600"])
    let back = try PlainClient(second.url, resuming: welcome, attempt: 1, revision: 9)
    let resumed = try back.welcome
    #expect(resumed.resumed && resumed.number == 2 && resumed.revision < 9 && resumed.epoch != welcome.epoch)
    #expect(try back.next(#"{"t":"snap""#).contains(#""lastPayment":102,"paid":2"#))
    try back.act(3, #""count""#)
    try back.next(#"{"t":"patch""#)
    try Self.pay(201, as: 4, back, count: 3)
    try Self.pay(202, as: 5, back, count: 4)
    #expect(second.stop() == 0)
    let paid = try payments()
    #expect(paid.map(\.payment) == ["101", "102", "103", "104", "201", "202"])
    #expect(Set(paid.map(\.key)).count == 6)
  }

  /// A payment that was under way when the copy was made is made again, under the key that it had.
  @Test func paymentThatWasUnderWay_keepsItsKey() throws {
    // A book that takes nothing: a pipe that is full, and that nobody empties.
    mkfifo(book, 0o600)
    let reader = open(book, O_RDONLY | O_NONBLOCK)
    let filler = open(book, O_WRONLY | O_NONBLOCK)
    defer { for descriptor in [reader, filler] { close(descriptor) } }
    let page = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
    while write(filler, page, page.count) > 0 {}
    let first = try daemon()
    let client = try PlainClient(first.url, app: "ledger")
    let welcome = try client.welcome
    try client.act(1, #"{"pay":7}"#)
    try client.next(#"{"t":"patch""#)
    try backUp()
    _ = first.stop(SIGKILL)
    try FileManager.default.removeItem(atPath: book)
    try restore()
    let second = try daemon()
    _ = try PlainClient(second.url, resuming: welcome, attempt: 1)
    try waitUntil { try payments().count == 1 }
    let paid = try #require(try payments().first)
    #expect(paid.payment == "7")
    // The name in a key is another one each time that a session comes into memory.
    let name = paid.key.split(separator: "-").dropLast(2).joined(separator: "-")
    let effects = try DatabaseQueue(path: copy).read {
      try String.fetchOne($0, sql: "SELECT effects FROM node WHERE type = 'Ledger'")
    }
    #expect(effects?.contains(name) == true, "\(effects ?? "no effects") \(paid.key)")
    #expect(second.stop() == 0)
  }

  /// A person who was signed out after the copy was made stays so, and others do not notice.
  @Test func signOutAfterTheCopy_holds() throws {
    let signer = TokenSigner(key: try IssuerKey(directory: directory.path), issuer: "http://issuer")
    let keys = "\(directory.path)/keys.json"
    try Data(signer.keySet.text.utf8).write(to: URL(fileURLWithPath: keys))
    let arguments = [
      "--auth-mode", "jwt", "--auth-issuer", "http://issuer", "--auth-audience", signer.audience, "--auth-keys-file",
      keys, "--auth-required", "false",
    ]
    func token(_ subject: String, in seconds: Double = 0) throws -> String {
      try signer.token(for: TokenRequest(subject: subject, roles: [], seconds: 600), at: Date() + seconds)
    }
    func begin(_ url: String, as token: String) throws -> PlainClient {
      let client = try PlainClient(url, saying: #"{"t":"hello","app":"members","auth":"\#(token)"}"#)
      try client.greet()
      return client
    }
    func resume(_ url: String, _ welcome: Welcome, as token: String, attempt: Int) throws -> PlainClient {
      let hello = PlainClient.resume(welcome, attempt: attempt)
      return try PlainClient(url, saying: hello.dropLast() + #","auth":"\#(token)"}"#)
    }
    let first = try daemon(arguments)
    let (ada, bob) = (try token("ada"), try token("bob"))
    let (one, two) = (try begin(first.url, as: ada), try begin(first.url, as: bob))
    let (ofAda, ofBob) = (try one.welcome, try two.welcome)
    try backUp()
    try one.act(1, #""signOutEverywhereTapped""#)
    _ = try one.all(until: #"{"t":"bye","code":"revoked""#)
    // The client's own connection ends before the store has the sign-out.
    try waitUntil {
      try DatabaseQueue(path: "\(state)/\(SQLiteStore.fileName)").read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM revocation") == 1
      }
    }
    _ = first.stop(SIGKILL)

    #expect(try restore().contains("Kept 1 sign-outs that are newer than the copy.\n"))
    let second = try daemon(arguments)
    #expect(try resume(second.url, ofAda, as: ada, attempt: 1).end() == "unauthenticated 4301")
    // A credential that counts as issued after the sign-out, which is told in whole seconds, lets the person in, but the client is out.
    let later = try token("ada", in: 2)
    #expect(try resume(second.url, ofAda, as: later, attempt: 2).end() == "revoked 4402")
    #expect(try begin(second.url, as: later).greeting.hasPrefix(#"{"t":"welcome""#))
    let back = try resume(second.url, ofBob, as: bob, attempt: 1)
    try back.greet()
    #expect(try back.welcome.resumed)
    #expect(second.stop() == 0)
  }

  // MARK: Under load

  /// Clients that pay as fast as they are answered, each on a thread of its own.
  private final class Payers: Sendable {
    let welcomes: [Welcome]
    private let paid: Mutex<[Int]>
    private let failures = Mutex<[any Error]>([])
    private let isOver = Atomic(false)
    private let ends: [DispatchSemaphore]

    init(_ count: Int, at url: String) throws {
      let clients = try (0..<count).map { _ in try PlainClient(url, app: "ledger") }
      welcomes = try clients.map { try $0.welcome }
      paid = Mutex(Array(repeating: 0, count: count))
      ends = clients.map { _ in DispatchSemaphore(value: 0) }
      for (index, client) in clients.enumerated() {
        BlockingThread.start { [self] in
          do { try pay(client, index) } catch { failures.withLock { $0.append(error) } }
          ends[index].signal()
        }
      }
    }

    /// The payments that each was told are committed.
    var told: [Int] { paid.withLock { $0 } }

    private func pay(_ client: PlainClient, _ index: Int) throws {
      var number = 0
      while !isOver.load(ordering: .relaxed) {
        number += 1
        try client.act(number, #"{"pay":\#(number)}"#)
        while try !client.next().contains(#""n":\#(number),"#) {}
        paid.withLock { $0[index] = number }
      }
    }

    /// Has them end.
    func stop() throws {
      isOver.store(true, ordering: .relaxed)
      for end in ends { end.wait() }
      if let failure = failures.withLock({ $0.first }) { throw failure }
    }
  }

  /// The whole lines of the book, as they are now.
  private func keepBook(as path: String) throws {
    let lines = try String(contentsOfFile: book, encoding: .utf8)
    try lines[..<(lines.lastIndex(of: "\n") ?? lines.startIndex)].write(
      toFile: path, atomically: true, encoding: .utf8)
  }

  /// How many clients pay while the copy is made.
  private static let payerCount = TestRun.volume(8, nightly: 32)
  /// How many sessions there are besides, so that the copy is not made in a moment.
  private static let crowdCount = TestRun.volume(200, nightly: 20_000)

  @Test func copyThatIsMadeUnderLoad_isWhole_andEverySessionGoesOnElsewhere() throws {
    let first = try daemon([
      "--limits-actions-per-second", "0", "--limits-sessions-per-address", "0", "--sessions-untouched-seconds", "3600",
    ])
    let crowd = try TwinClient(first.url)
    for _ in 0..<Self.crowdCount { try #require(try crowd.create().status == 201) }
    let payers = try Payers(Self.payerCount, at: first.url)
    let begin = ContinuousClock.now
    try waitUntil { payers.told.allSatisfy { $0 >= 20 } }
    let before = payers.told
    let earlier = "\(directory.path)/earlier"
    try keepBook(as: earlier)
    let (start, paid) = (ContinuousClock.now, payers.told)
    try backUp()
    let (end, after) = (ContinuousClock.now, payers.told)
    func rate(_ count: Int, _ duration: Duration) -> Int { Int(Double(count) / (duration / .seconds(1))) }
    let meanwhile = rate(zip(after, paid).reduce(0) { $0 + $1.0 - $1.1 }, end - start)
    print(
      "\(Self.crowdCount) sessions copied in \(Int((end - start) / .milliseconds(1))) ms: \(Self.payerCount) clients have paid "
        + "\(meanwhile) times a second meanwhile, \(rate(paid.reduce(0, +), start - begin)) before")
    if TestRun.judgesTime { #expect(meanwhile >= 1000) }
    try waitUntil { zip(payers.told, after).allSatisfy { $0 > $1 } }
    try payers.stop()
    _ = first.stop(SIGKILL)

    let elsewhere = "\(directory.path)/elsewhere"
    let count = Self.crowdCount + Self.payerCount
    #expect(try restore(in: elsewhere).hasPrefix("Put back to \(elsewhere): \(count) sessions"))
    let faults = try DatabaseQueue(path: "\(elsewhere)/\(SQLiteStore.fileName)").read {
      try String.fetchAll($0, sql: "PRAGMA integrity_check")
    }
    #expect(faults == ["ok"])
    var audit = LedgerAudit(stateDirectory: elsewhere, book: earlier)
    let stored = try audit.look(
      payers.welcomes.enumerated().map { index, welcome in
        let told = ChaosClient.Told(
          sessionID: welcome.sessionID, clientID: welcome.clientID, number: before[index], count: before[index])
        return ("client \(index)", told)
      })
    #expect(audit.deviations == [])

    // Its clients have seen more, and the book has more: no key of it is used for anything else.
    let second = try daemon(in: elsewhere)
    for (index, welcome) in payers.welcomes.enumerated() {
      let back = try PlainClient(second.url, resuming: welcome, attempt: 1)
      let number = try back.welcome.number
      #expect(try back.welcome.resumed && stored[welcome.sessionID]?.number(of: welcome.clientID) == number)
      #expect(before[index] <= number && number <= after[index] + 1)
      try back.act(number + 1, #"{"pay":1000001}"#)
    }
    try waitUntil { try payments().count { $0.payment == "1000001" } == Self.payerCount }
    #expect(second.stop() == 0)
    var last = LedgerAudit(stateDirectory: elsewhere, book: book)
    _ = try last.look([])
    #expect(last.deviations == [])
  }

  // MARK: The commands

  @Test func backup_replacesAFileOnlyIfItIsTold_andNeverTheStore() throws {
    let daemon = try daemon()
    _ = try PlainClient(daemon.url, app: "counter")
    try backUp()
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let again = try ribd("backup", copy, "--state-dir", state)
    #expect(again.status != 0 && again.errors.contains("There is a file \(copy) already"), "\(again.errors)")
    let turned = try ribd("--state-dir", state, "backup", copy, "--force")
    #expect(turned.status != 0 && turned.errors.contains("backup comes first"), "\(turned.errors)")
    let forced = try ribd("backup", copy, "--state-dir", state, "--force")
    #expect(forced.status == 0, "\(forced.errors)")
    for suffix in SQLiteStore.fileSuffixes {
      let own = try ribd("backup", "\(state)/sessions.sqlite\(suffix)", "--state-dir", state, "--force")
      #expect(own.status != 0 && own.errors.contains("belongs to the session store itself"), "\(own.errors)")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["book", "copy.sqlite", "state"])
    #expect(daemon.stop() == 0)
  }

  @Test(arguments: [
    (["backup", "x", "--state-dir", "/nowhere"], "There is no session store in /nowhere"),
    (["backup", "x", "--store", "memory"], "there is nothing to copy"),
    (["restore", "x", "--store", "postgres"], "pg_dump"), (["backup"], "Missing expected argument"),
  ])
  func commandThatCannotBeDone_saysWhy(_ arguments: [String], _ says: String) throws {
    let (status, _, errors) = try Program.run(Program.url("ribd"), arguments)
    #expect(status != 0 && errors.contains(says), "\(errors)")
  }

  /// A server that runs, or one that starts meanwhile, would go on writing to the store that was replaced.
  @Test func restore_isRefusedWhileADaemonRuns() throws {
    let daemon = try daemon()
    let client = try PlainClient(daemon.url, app: "counter")
    try backUp()
    try client.act(1, #""increment""#)
    try client.next(#"{"t":"patch""#)
    let refused = try ribd("restore", copy, "--state-dir", state)
    #expect(
      refused.status != 0 && refused.errors.contains("A server uses \(state): stop it first."), "\(refused.errors)")
    try client.act(2, #""increment""#)
    #expect(try client.next(#"{"t":"patch""#).contains(#""value":2"#))
    #expect(daemon.stop() == 0)
    #expect(try restore().hasPrefix("Put back"))
  }

  /// Without the store that is replaced nobody knows who was signed out.
  @Test func damagedStore_isReplacedIfItIsTold() throws {
    let first = try daemon()
    let welcome = try PlainClient(first.url, app: "counter").welcome
    try backUp()
    _ = first.stop(SIGKILL)
    let store = "\(state)/\(SQLiteStore.fileName)"
    let damage = Data(repeating: 7, count: 100_000)
    // The log of a small store has all of it.
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: store + suffix) }
    try damage.write(to: URL(fileURLWithPath: store))
    let refused = try ribd("restore", copy, "--state-dir", state)
    #expect(refused.status != 0 && refused.errors.contains("With --force it is replaced"), "\(refused.errors)")
    #expect(FileManager.default.contents(atPath: store) == damage)
    try restore(force: true)
    #expect(FileManager.default.contents(atPath: "\(store).replaced-1") == damage)
    let second = try daemon()
    #expect(try PlainClient(second.url, resuming: welcome, attempt: 1).welcome.resumed)
    #expect(second.stop() == 0)
  }

  // MARK: In a program of one's own

  @Test func server_copiesItsOwnStore() async throws {
    let (state, copy) = (state, copy)
    try await withServer({
      $0.store = .sqlite
      $0.stateDirectory = state
    }) { server, url in
      let client = try await blocking { try PlainClient(url, app: "counter") }
      let backup = try await server.backup(to: copy)
      #expect(backup.sessionCount == 1 && backup.bytes == FileManager.default.contents(atPath: copy)?.count)
      await #expect(throws: StoreError.self) { try await server.backup(to: copy) }
      try await server.backup(to: copy, replacing: true)
      client.cut()
    }
    try await withServer { server, _ in
      let error = await #expect(throws: StoreError.self) { try await server.backup(to: copy) }
      #expect(error?.description.contains("there is nothing to copy") == true)
    }
  }
}
