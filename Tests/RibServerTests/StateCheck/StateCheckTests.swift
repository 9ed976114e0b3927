import Foundation
import GRDB
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// The effects of a deploy on the sessions that a released version has stored, found out by real programs.
@Suite(.blocking) struct StateCheckTests {
  /// The released versions that a store is kept of, each as its server has stopped, and as it was killed.
  static let stores = ReleasedFormatsTests.versions.flatMap { version in
    ["stopped", "killed"].map { repository.appendingPathComponent("Tests/Fixtures/\(version)/\($0)").path }
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Copies a store that is kept.
  private func copy(_ source: String) throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: source) {
      try FileManager.default.copyItem(atPath: "\(source)/\(file)", toPath: "\(directory.path)/\(file)")
    }
  }

  /// The files of the directory, with what is in them.
  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      contents[file] = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(file)"))
    }
    return contents
  }

  private func ribd(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try Program.run(Program.url("ribd"), ["check-state"] + arguments)
  }

  @Test(arguments: stores) func storeOfAReleasedVersion_comesBackWhole_andIsNotWritten(_ source: String) throws {
    try copy(source)
    let before = try contents()
    let (status, output, errors) = try ribd("--state-dir", directory.path, "--json")
    #expect(status == 0, "\(output) \(errors)")
    let report = try JSONValue(parsing: output)
    let sessions = report["stored"]
    #expect(sessions != .integer(0) && report["checked"] == sessions && report["restored"] == sessions, "\(output)")
    #expect(report["isLossless"] == .bool(true) && report["findings"] == .array([]), "\(output)")
    #expect(try contents() == before)
  }

  @Test(arguments: stores) func changedShapes_areFoundInIt_andTheOthersGoOn(_ source: String) throws {
    try copy(source)
    let before = try contents()
    let (status, output, errors) = try Program.run(Program.url("ribshapes"), [directory.path, "5"])
    #expect(status == 1, "\(output) \(errors)")
    let report = try JSONValue(parsing: output)
    #expect(report["checked"] == report["stored"] && report["isLossless"] == .bool(false))
    guard case .array(let findings)? = report["findings"], case .array(let migrations)? = report["migrations"] else {
      throw PlainClient.Unexpected(text: output)
    }
    // Each counter is migrated, whatever happens to the sessions before and after it.
    #expect(migrations.count == 1 && migrations[0]["type"] == .string("Counter"))
    #expect(migrations[0]["from"] == .integer(1) && migrations[0]["to"] == .integer(2))
    #expect(report["migrated"] == migrations[0]["count"])
    func find(_ app: String, _ outcome: String, _ type: String?, _ reason: String) {
      let found = findings.contains { finding in
        guard case .string(let text)? = finding["reason"], case .array(let sessions)? = finding["sessions"] else {
          return false
        }
        return finding["app"] == .string(app) && finding["outcome"] == .string(outcome)
          && finding["type"] == type.map { JSONValue.string($0) } && text.contains(reason) && !sessions.isEmpty
      }
      #expect(found, "\(app): \(output)")
    }
    find("home-detail", "failed", "Root", "title")
    find("profile", "failed", "ProfileNavigationRouter", "There is no way from version 1.")
    find("tabs", "rebuilt", "AppRoot", "tabs")
    find("ledger", "newer", "Ledger", "was saved in version 1, and this program knows 0")
    find("search", "failed", "Search", "It does not come back within 5 seconds.")
    find("boundaries", "rebuilt", "Parent", "Guardian is in its place now")
    find("screens", "failed", nil, "There is no such app any more.")
    #expect(try contents() == before)
  }

  @Test func file_isCheckedToo_alsoASampleOfIt() throws {
    try copy(try #require(Self.stores.first))
    try FileManager.default.moveItem(
      atPath: "\(directory.path)/\(SQLiteStore.fileName)", toPath: "\(directory.path)/a backup?#%.sqlite")
    let (status, output, errors) = try ribd("\(directory.path)/a backup?#%.sqlite", "--sample", "3")
    #expect(status == 0 && output.hasPrefix("Checked 3 of 9 sessions.\nrestored  3\n"), "\(output) \(errors)")
  }

  @Test func currentFile_isReadWhereItIs() throws {
    let daemon = try Daemon(stateDirectory: directory.path)
    let client = try PlainClient(daemon.url, app: "counter")
    try client.act(1, #""increment""#)
    try client.next(#"{"t":"patch""#)
    // While a server writes, what is read would be of no time.
    let (status, _, errors) = try ribd("--state-dir", directory.path)
    #expect(status == 2 && errors.contains("A server runs on \(directory.path)"), "\(errors)")
    let sameFile = try ribd("--state-dir", "\(directory.path)/\(SQLiteStore.fileName)")
    #expect(sameFile.status == 2, "\(sameFile.errors)")
    #expect(daemon.stop() == 0)
    let before = try contents()
    let (later, output, complaint) = try ribd("--state-dir", "\(directory.path)/\(SQLiteStore.fileName)")
    #expect(later == 0 && output.hasPrefix("Checked 1 of 1 sessions.\nrestored  1\n"), "\(output) \(complaint)")
    #expect(try contents() == before)
  }

  @Test func sessionThatIsSetAside_isNamed_andIsNoLoss() throws {
    try copy(try #require(Self.stores.first))
    let database = try DatabaseQueue(path: "\(directory.path)/\(SQLiteStore.fileName)")
    try database.write { database in
      try database.execute(sql: "INSERT INTO crash SELECT id, 0, 0, 2 FROM session WHERE app = 'counter'")
    }
    try database.close()
    let (status, output, _) = try ribd("--state-dir", directory.path)
    #expect(status == 0 && output.contains("poisoned  1\n"), "\(output)")
    #expect(output.contains("poisoned: counter: It was set aside: servers have died 2 times while they ran it."))
  }

  @Test func damagedSession_isNamed_andTheOthersGoOn() throws {
    try copy(try #require(Self.stores.first))
    let database = try DatabaseQueue(path: "\(directory.path)/\(SQLiteStore.fileName)")
    try database.write { database in
      try database.execute(
        sql: "UPDATE change SET ops = '{' WHERE session = (SELECT id FROM session WHERE app = 'counter') AND seq = 0")
    }
    try database.close()
    let (status, output, _) = try ribd("--state-dir", directory.path)
    #expect(status == 1 && output.contains("restored  8\n") && output.contains("failed    1\n"), "\(output)")
    #expect(output.contains("failed: counter"), "\(output)")
  }

  @Test func whatIsNoStore_isSaid() throws {
    let missing = try ribd("--state-dir", directory.path)
    #expect(missing.status == 2 && missing.errors.contains("There is no session store at \(directory.path)"))
    try Data("no database".utf8).write(to: URL(fileURLWithPath: "\(directory.path)/notes"))
    let notes = try ribd("--state-dir", "\(directory.path)/notes")
    #expect(notes.status == 2 && notes.errors.contains("cannot be opened"), "\(notes.errors)")
    try copy(try #require(Self.stores.first))
    #expect(try ribd("--state-dir", directory.path, "--sample", "0").status == 2)
    let database = try DatabaseQueue(path: "\(directory.path)/\(SQLiteStore.fileName)")
    try database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999')") }
    try database.close()
    let newer = try ribd("--state-dir", directory.path)
    #expect(newer.status == 2 && newer.errors.contains("was written by a newer version"), "\(newer.errors)")
  }

  @Test func sample_isSpreadOverTheStore() {
    #expect(StateCheck.spread([1, 2, 3], nil) == [1, 2, 3])
    #expect(StateCheck.spread([1, 2, 3], 5) == [1, 2, 3])
    #expect(StateCheck.spread(Array(1...10), 5) == [1, 3, 5, 7, 9])
    #expect(StateCheck.spread(Array(1...10), 1) == [1])
  }
}
