import Foundation
import Testing
import Wire

@testable import RibServer

/// Where a backup may go; `BackupTests` has what is in it.
@Suite struct StoreBackupTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let store = try SQLiteStore(path: directory.store, durability: .process)
    _ = try store.create("one")
    store.close()
  }

  @Test func file_isMadeForItsUserAlone_andReplacedOnlyIfAsked() throws {
    let file = "\(directory.path)/copy"
    let backup = try StoreBackup(of: directory.path, to: file)
    #expect(backup.sessionCount == 1 && backup.bytes == fileSize(file))
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    #expect(throws: StoreError("There is a file \(file) already: name another one, or say --force to replace it.")) {
      try StoreBackup(of: directory.path, to: file)
    }
    #expect(try StoreBackup(of: directory.path, to: file, replacing: true) == backup)
  }

  /// Also under another name of the directory.
  @Test(arguments: SQLiteStore.fileSuffixes) func storeItself_isNeverReplaced(_ suffix: String) throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.store))
    for path in [directory.path, "\(directory.path)/.", "/proc/self/root\(directory.path)"] {
      let file = "\(path)/\(SQLiteStore.fileName)\(suffix)"
      #expect(throws: StoreError("\(file) belongs to the session store itself: name another file.")) {
        try StoreBackup(of: directory.path, to: file, replacing: true)
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.store)) == before)
  }
}
