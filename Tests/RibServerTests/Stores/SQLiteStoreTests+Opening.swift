import Foundation
import GRDB
import Logging
import RibCore
import Testing
import Wire

@testable import RibServer

/// A file that is opened again, by two processes, or that is none of ours.
extension SQLiteStoreTests {
  @Test(arguments: [Welcome.Durability.disk, .process]) func openedAgain_hasTheSame(
    _ durability: Welcome.Durability
  ) throws {
    let store = try open(durability)
    #expect(store.durability == durability)
    let lease = try store.create("one", StoreSample.cut(changed: [StoreSample.node(1, "old")]))
    _ = try store.write(lease, StoreSample.cut(changed: [StoreSample.node(1, "new")], nacks: [StoreSample.refusal(2)]))
    store.close()
    #expect(throws: StoreError("The store is closed.")) { try store.perform([.probe]) }
    let again = try open(durability)
    defer { again.close() }
    let loaded = try #require(try again.load())
    #expect(loaded.tree.nodes[1]?.state == "new" && loaded.nacks.count == 1)
  }

  /// Two processes may have the file open: what one commits, the other sees.
  @Test func twoStores_shareTheFile() throws {
    let (first, second) = (try open(), try open())
    defer {
      first.close()
      second.close()
    }
    let lease = try first.create()
    #expect(try first.write(lease, StoreSample.cut(StoreSample.state(revision: 2))) == "written")
    let loaded = try #require(try second.load())
    #expect(loaded.state.revision == 2)
    #expect(try first.write(lease, StoreSample.cut(StoreSample.state(revision: 3))) == "lost")
    #expect(try second.write(loaded.lease, StoreSample.cut()) == "written")
  }

  @Test func newerFile_isRefused() throws {
    try open().close()
    try DatabaseQueue(path: directory.store).write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('1000')")
    }
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(error?.description == "\(directory.store) was written by a newer version of this program: start that one.")
  }

  @Test func whatIsNoDatabase_isRefused() throws {
    try Data(String(repeating: "This is a text. ", count: 500).utf8).write(to: URL(fileURLWithPath: directory.store))
    let error = #expect(throws: StoreError.self) { try open() }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("The session store \(directory.store) cannot be opened. SQLite: "), "\(text)")
    #expect(text.hasSuffix("The file is damaged: move it away, or put a copy back."), "\(text)")
  }

  @Test func directoryThatIsNotThere_isRefused() throws {
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(path: "\(directory.path)/none/\(SQLiteStore.fileName)", durability: .disk)
    }
    #expect(error?.description.hasSuffix("The file or its directory cannot be written by this user.") == true)
  }

  /// Also one that could only be written by others, as the superuser that tests may run as can write anywhere.
  @Test func stateDirectoryThatCannotBeMade_isRefused() throws {
    let file = "\(directory.path)/file"
    try Data().write(to: URL(fileURLWithPath: file))
    var settings = ServerSettings()
    settings.store = .sqlite
    for path in [file, "\(file)/below/it"] {
      settings.stateDirectory = path
      let error = #expect(throws: StoreError.self) {
        try settings.openStore(loopCount: 1, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      }
      #expect(
        error?.description
          == "The state directory \(path) cannot be made: \(file)/: Not a directory. Choose another with --state-dir.")
    }
  }
}
