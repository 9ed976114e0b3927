#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Standard input, output and error.
enum Terminal {
  /// Prints a line at once.
  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Prints a line to standard error.
  static func complain(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(2, bytes, bytes.count)
  }

  /// Waits.
  static func sleep(milliseconds: Int) { _ = poll(nil, 0, Int32(clamping: milliseconds)) }

  /// Waits for input or for a socket.
  ///
  /// - Returns: which of them has something; neither if time is up.
  static func wait(_ socket: Int32, milliseconds: Int) -> (input: Bool, socket: Bool) {
    var entries = [
      pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
    ]
    var result: Int32
    repeat { result = poll(&entries, 2, Int32(clamping: milliseconds)) } while result < 0 && errno == EINTR
    return (entries[0].revents != 0, entries[1].revents != 0)
  }
}

/// Cuts standard input into lines, reading only what is there.
struct LineReader {
  private var rest: [UInt8] = []

  /// Reads what is there.
  ///
  /// - Returns: whole lines; at the end of the input a last one without its end, and then nil.
  mutating func read() -> [String]? {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = readInput(&chunk)
    // A signal came first, or nothing is there after all.
    if count < 0, errno == EINTR || errno == EAGAIN { return [] }
    guard count > 0 else {
      defer { rest = [] }
      return rest.isEmpty ? nil : [String(decoding: rest, as: UTF8.self)]
    }
    rest.append(contentsOf: chunk.prefix(count))
    var lines: [String] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
    return lines
  }
}

/// Reads what is there of standard input: -1 and `errno` if nothing can be read.
private func readInput(_ chunk: inout [UInt8]) -> Int { read(0, &chunk, chunk.count) }
