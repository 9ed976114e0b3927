import RibServer
import Showcase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The version that was deployed last, in a file beside the sessions: an older program could not read them.
struct DemoRecord: Sendable {
  private let directory: String
  private var path: String { "\(directory)/demo-version" }

  /// The record in a directory.
  init(in directory: String) { self.directory = directory }

  /// The version in the file; nil if the file is missing or has none.
  var version: CounterVersion? {
    // Without waiting: something else than a file may have the name.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    guard read(descriptor, &byte, 1) == 1 else { return nil }
    return CounterVersion(rawValue: Int(byte) - Int(UInt8(ascii: "0")))
  }

  /// Records a version.
  ///
  /// - Throws: `SystemError`.
  func keep(_ version: CounterVersion) throws {
    // Under another name first: the file is never there without its content. Whatever has that name is not opened.
    let draft = "\(path).new"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(operation: "write \(draft)", code: errno) }
    let text = Array("\(version.rawValue)\n".utf8)
    let isWritten = write(descriptor, text, text.count) == text.count && fsync(descriptor) == 0
    guard close(descriptor) == 0, isWritten, rename(draft, path) == 0, syncDirectory() else {
      let code = errno
      unlink(draft)
      throw SystemError(operation: "write \(path)", code: code)
    }
  }

  /// Has the file's new name written to the disk.
  private func syncDirectory() -> Bool {
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
