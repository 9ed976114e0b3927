#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// This program once more, as a process that restores sessions: it may die of one.
final class CheckProcess {
  /// The descriptor that the process writes its lines to.
  ///
  /// Its standard output and error are for what the app's code prints.
  static let output: Int32 = 3

  private let process: ChildProcess
  /// The end of the pipe from which its lines are read.
  private let lines: Int32
  /// The process's output, in a file without a name.
  private let prints: Int32
  private var buffer: [UInt8] = []
  private var isOver = false

  /// Starts the process with the arguments of this one.
  ///
  /// - Parameters:
  ///   - variable: an environment variable more.
  ///   - value: its value.
  /// - Throws: ``SystemError``.
  init(_ variable: String, _ value: String) throws(SystemError) {
    prints = try Self.makeFile()
    var pipes: [Int32] = [-1, -1]
    guard pipe(&pipes) == 0 else {
      let error = SystemError.last("make a pipe")
      closeDescriptor(prints)
      throw error
    }
    lines = pipes[0]
    defer { closeDescriptor(pipes[1]) }
    for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    do {
      process = try ChildProcess(
        Array(CommandLine.arguments.dropFirst()),
        // A backtrace would take seconds for each death.
        variables: [variable: value, "SWIFT_BACKTRACE": "enable=no"],
        descriptors: [(0, nil), (1, prints), (2, prints), (Self.output, pipes[1])])
    } catch {
      closeDescriptor(lines)
      closeDescriptor(prints)
      throw error
    }
  }

  deinit {
    end()
    closeDescriptor(lines)
    closeDescriptor(prints)
  }

  private static func makeFile() throws(SystemError) -> Int32 {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(directory)/ribserver-check-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .last("make a file in \(directory)") }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// The result of a read.
  enum Reading {
    /// A line.
    case line(CheckLine)
    /// The process has ended.
    case end
    /// There was no line in time.
    case silence
  }

  /// Waits for the next line.
  ///
  /// - Parameter seconds: for how long at most.
  /// - Returns: the line, or why there is none.
  func next(within seconds: Int) -> Reading {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let text = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        guard let line = CheckLine(text) else { continue }
        return .line(line)
      }
      var waiting = pollfd(fd: lines, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(clamping: seconds * 1000))
      if ready < 0, errno == EINTR { continue }
      guard ready != 0 else { return .silence }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(lines, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return .end }
      buffer.append(contentsOf: bytes[..<count])
    }
  }

  /// Ends the process, which has not come back from a session.
  func end() {
    process.send(SIGKILL)
    _ = wait()
  }

  /// Waits for the process's end.
  ///
  /// - Returns: nil if it has ended in order; otherwise how it died, and the last that it printed.
  func wait() -> String? {
    guard !isOver else { return nil }
    isOver = true
    let how: String
    switch process.wait() {
    case .exited(0): return nil
    case .exited(let status): how = "with status \(status)"
    case .killed(let signal): how = "by signal \(signal)"
    case .unknown: how = "in a way that the system does not tell"
    }
    return "The process would end \(how)\(lastWords.map { ": \($0)" } ?? ".")"
  }

  /// The line in which Swift's runtime says why it ends the process, or else the last line that was printed.
  private var lastWords: String? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let size = lseek(prints, 0, SEEK_END)
    let count = pread(prints, &bytes, bytes.count, max(size - bytes.count, 0))
    guard count > 0 else { return nil }
    let printed = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline)
    return (printed.last { $0.contains("Fatal error") } ?? printed.last).map { String($0.prefix(500)) }
  }
}
