import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file that one life of a session is recorded in; those before it may be in it already.
final class RecordingFile: Sendable {
  private enum State {
    /// Lines that are to be written; none, if they are.
    case open([UInt8])
    /// Nothing is written any more.
    case givenUp
  }

  let path: String
  /// The session's name.
  let session: String
  private let state = Mutex(State.open([]))

  /// A file, which may not be there yet.
  ///
  /// - Parameters:
  ///   - path: where it is.
  ///   - session: the session's name.
  init(_ path: String, session: String) {
    self.path = path
    self.session = session
  }

  /// Keeps a line until it is written.
  ///
  /// - Parameter line: with its end.
  /// - Returns: whether it is kept, and whether it is the only one.
  func append(_ line: [UInt8]) -> (isTaken: Bool, isFirst: Bool) {
    state.withLock { state in
      guard case .open(var lines) = state else { return (false, false) }
      // So that there is one owner while it grows.
      state = .open([])
      let isFirst = lines.isEmpty
      lines += line
      state = .open(lines)
      return (true, isFirst)
    }
  }

  /// Takes the lines that are to be written now.
  ///
  /// - Returns: the lines.
  func take() -> [UInt8] {
    state.withLock { state in
      guard case .open(let lines) = state else { return [] }
      state = .open([])
      return lines
    }
  }

  /// Writes nothing any more.
  ///
  /// - Returns: the bytes that were to be written; nil if nothing was any more.
  func giveUp() -> Int? {
    state.withLock { state in
      guard case .open(let lines) = state else { return nil }
      state = .givenUp
      return lines.count
    }
  }

  /// Writes lines at the end of the file.
  ///
  /// - Parameter lines: whole ones.
  /// - Returns: why they could not be written; nil if they are.
  func write(_ lines: [UInt8]) -> String? {
    guard !lines.isEmpty else { return nil }
    // What riblets are told may be anyone's secret.
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return Self.reason }
    defer { close(descriptor) }
    // A server that was killed may have left half a line.
    let end = lseek(descriptor, 0, SEEK_END)
    var last = UInt8(ascii: "\n")
    let isCut = end > 0 && pread(descriptor, &last, 1, end - 1) == 1 && last != UInt8(ascii: "\n")
    let bytes = isCut ? [UInt8(ascii: "\n")] + lines : lines
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { writeBytes(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return Self.reason }
      written += count
    }
    return nil
  }

  private static var reason: String { String(cString: strerror(errno)) }
}

/// The system's `write`, which the method hides.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
