#if os(Linux)
  import CLinux
#endif

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

  private var process: pid_t = 0
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
    try start([variable: value], writingTo: pipes[1])
  }

  deinit {
    if process != 0 { end() }
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

  private func start(_ variables: [String: String], writingTo pipe: Int32) throws(SystemError) {
    // A backtrace would take seconds for each death.
    let variables = variables.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let inherited = Self.environment.filter { entry in !variables.keys.contains { entry.hasPrefix("\($0)=") } }
    let environment = Self.strings(inherited + variables.map { "\($0.key)=\($0.value)" })
    let arguments = Self.strings(CommandLine.arguments)
    defer { for case let string? in environment + arguments { free(string) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, prints, 1)
    posix_spawn_file_actions_adddup2(&actions, prints, 2)
    posix_spawn_file_actions_adddup2(&actions, pipe, Self.output)
    let code = posix_spawn(&process, Self.program, &actions, nil, arguments, environment)
    guard code == 0 else { throw SystemError(operation: "start \(Self.program)", code: code) }
  }

  #if os(Linux)
    private static let program = "/proc/self/exe"
  #else
    private static let program = CommandLine.arguments[0]
  #endif

  private static var environment: [String] {
    #if os(Linux)
      var next = rib_environment()
    #else
      var next = _NSGetEnviron().pointee
    #endif
    var entries: [String] = []
    while let entry = next?.pointee {
      entries.append(String(cString: entry))
      next = next?.advanced(by: 1)
    }
    return entries
  }

  /// Strings for C, with a null behind them.
  private static func strings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
    strings.map { strdup($0) } + [nil]
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
    if !isOver { kill(process, SIGKILL) }
    _ = wait()
  }

  /// Waits for the process's end.
  ///
  /// - Returns: nil if it has ended in order; otherwise how it died, and the last that it printed.
  func wait() -> String? {
    guard !isOver else { return nil }
    isOver = true
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status != 0 else { return nil }
    let signal = status & 0x7f
    let how = signal == 0 ? "with status \(status >> 8 & 0xff)" : "by signal \(signal)"
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
