import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A store that is checked, and of which nothing is changed.
///
/// A file that another version has left, or beside which a write-ahead log lies, is checked as a copy in a directory of the system's for
/// temporary files, which goes with this.
final class CheckedStore {
  /// The file to read.
  let path: String
  /// The directory of the copy; nil if the file itself is read.
  private let temporary: String?

  /// Looks at a store.
  ///
  /// - Parameter path: a copy of a state directory, or the file of a backup.
  /// - Throws: ``StateCheckError`` if there is no store, if a server uses it, or if a newer program has written it.
  init(_ path: String) throws(StateCheckError) {
    let isDirectory = access("\(path)/.", F_OK) == 0
    let file = isDirectory ? "\(path)/\(SQLiteStore.fileName)" : path
    guard access(file, F_OK) == 0 else {
      throw StateCheckError(
        "There is no session store at \(path): give a copy of a state directory, or the file of a backup.")
    }
    let directory = StoreCopy.directory(of: file)
    let isOfAServer = file == SQLiteStore.fileName || file.hasSuffix("/\(SQLiteStore.fileName)")
    guard !isOfAServer || !Self.isUsed(directory) else {
      throw StateCheckError("A server runs on \(path), and goes on to write: check a backup of it.")
    }
    do throws(StoreError) {
      if fileSize("\(file)-wal") ?? 0 == 0, try StoredTrees(file).isCurrent {
        (self.path, temporary) = (file, nil)
        return
      }
    } catch {
      throw StateCheckError(error.description)
    }
    let copy = try Self.makeDirectory()
    temporary = copy
    self.path = "\(copy)/\(SQLiteStore.fileName)"
    for end in ["", "-wal"] where access("\(file)\(end)", F_OK) == 0 {
      try Self.copy("\(file)\(end)", to: "\(self.path)\(end)")
    }
    do throws(StoreError) {
      // Brings the copy to the tables of this program.
      try SQLiteStore(path: self.path, durability: .process).close()
      _ = try StoredTrees(self.path)
    } catch {
      throw StateCheckError(error.description)
    }
  }

  deinit {
    guard let temporary else { return }
    for end in ["", "-wal", "-shm"] { unlink("\(path)\(end)") }
    rmdir(temporary)
  }

  /// Whether a process has a flight recorder's file in a directory that it has locked: so has a server that runs.
  private static func isUsed(_ directory: String) -> Bool {
    for number in 0..<1024 {
      let descriptor = open("\(directory)/flight-\(number)", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      defer { closeDescriptor(descriptor) }
      guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
    }
    return false
  }

  private static func makeDirectory() throws(StateCheckError) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/ribserver-check-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw StateCheckError(SystemError.last("make a directory in \(parent)").description)
    }
    return template.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private static func copy(_ source: String, to target: String) throws(StateCheckError) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw StateCheckError(SystemError.last("open \(source)").description) }
    defer { closeDescriptor(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw StateCheckError(SystemError.last("make \(target)").description) }
    defer { closeDescriptor(output) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &bytes, bytes.count)
      guard count > 0 else {
        guard count == 0 else { throw StateCheckError(SystemError.last("read \(source)").description) }
        return
      }
      var written = 0
      while written < count {
        let result = bytes.withUnsafeBytes { buffer in
          write(output, buffer.baseAddress?.advanced(by: written), count - written)
        }
        guard result > 0 else { throw StateCheckError(SystemError.last("write \(target)").description) }
        written += result
      }
    }
  }
}

/// A store cannot be checked: it is not there, a server uses it, or a newer program has written it.
package struct StateCheckError: Error, Equatable, CustomStringConvertible {
  /// The fault, and the remedy.
  package let description: String

  init(_ description: String) { self.description = description }
}
