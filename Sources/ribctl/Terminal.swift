import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Standard input, output and error.
///
/// Whatever is printed is printed here, so that no text of a peer does anything to the terminal.
enum Terminal {
  /// Prints lines at once.
  static func say(_ lines: String) {
    print(lines.visibleLines)
    fflush(nil)
  }

  /// Prints a line to standard error.
  static func complain(_ line: String) { writeError(line.visible) }

  /// Prints what a command ends with, on the output that fits, and ends the process.
  ///
  /// - Parameters:
  ///   - message: the help, or what is wrong, and how to use the command; in lines.
  ///   - status: the exit status.
  static func end(_ message: String, _ status: Int32) -> Never {
    if !message.isEmpty { if status == 0 { say(message) } else { writeError(message.visibleLines) } }
    exit(status)
  }

  private static func writeError(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
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
