import Foundation
import GRDB

/// Damage of a store's file, as a disk that fails does it.
struct StoreDamage {
  static let pageSize = 4096

  /// The file.
  let path: String

  /// Copies the log into the file, so that what the file says counts.
  func checkpoint() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try queue.close()
  }

  /// Where pages begin that are full of a character.
  func pages(fullOf character: UInt8) throws -> [Int] { try pages(fullOf: character) { _ in true } }

  /// Where such pages begin that have nothing else but the number of the next one: those of a long text in one row.
  func overflowPages(fullOf character: UInt8) throws -> [Int] {
    // Another kind of page has numbers there.
    try pages(fullOf: character) { page in page.dropFirst(4).prefix(8).allSatisfy { $0 == character } }
  }

  private func pages(fullOf character: UInt8, where isMeant: (ArraySlice<UInt8>) -> Bool) throws -> [Int] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    return stride(from: 0, to: bytes.count - bytes.count % Self.pageSize, by: Self.pageSize).filter { start in
      let page = bytes[start..<start + Self.pageSize]
      return page.count { $0 == character } > 3000 && isMeant(page)
    }
  }

  /// Writes something else into a page, from a place in it on.
  func overwrite(_ page: Int, from place: Int = 0, with bytes: [UInt8]) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(page + place))
    try file.write(contentsOf: Data(bytes))
  }
}
