import Dispatch
import Synchronization

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

/// A process that this process starts and waits for: its own program once more.
package final class ChildProcess: Sendable {
  /// How a process has ended.
  package enum End: Equatable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By a signal of this number.
    case killed(Int32)
  }

  /// The number of the process.
  package let id: Int32
  private let end = Mutex<End?>(nil)

  /// Starts this program.
  ///
  /// - Parameters:
  ///   - arguments: without the name of the program.
  ///   - variables: environment variables, besides those of this process.
  ///   - descriptors: for each descriptor of the new process, which one of this process it is; nil for `/dev/null`. Descriptors that are not named are
  ///     inherited, if they are not closed by `exec`.
  ///   - hasOwnGroup: whether signals of the terminal reach this process alone.
  /// - Throws: ``SystemError``.
  package init(
    _ arguments: [String], variables: [String: String],  // safe text: own
    descriptors: [Int32: Int32?], hasOwnGroup: Bool = false
  ) throws(SystemError) {
    let inherited = Self.environment.filter { entry in !variables.keys.contains { entry.hasPrefix("\($0)=") } }
    let environment = Self.strings(inherited + variables.map { "\($0.key)=\($0.value)" })
    let arguments = Self.strings([CommandLine.arguments[0]] + arguments)
    defer { for case let string? in environment + arguments { free(string) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, source) in descriptors {
      if let source {
        posix_spawn_file_actions_adddup2(&actions, source, descriptor)
      } else {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDONLY, 0)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this process ignores or has another handler for, the new process handles as if it had been started by a shell.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int32(POSIX_SPAWN_SETSIGDEF) | (hasOwnGroup ? Int32(POSIX_SPAWN_SETPGROUP) : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var process: pid_t = 0
    let code = posix_spawn(&process, Self.program, &actions, &attributes, arguments, environment)
    guard code == 0 else { throw SystemError(operation: "start \(Self.program)", code: code) }
    id = process
  }

  /// Sends a signal; nothing happens if the process has ended.
  package func send(_ signal: Int32) {
    // Under the lock: afterwards another process may have the number.
    end.withLock { end in
      if end == nil { kill(id, signal) }
    }
  }

  /// Waits until the process has ended.
  package func ended() async -> End {
    await withCheckedContinuation { end in
      // On a thread of its own for as long as the process lives.
      DispatchQueue(label: "ribserver.child").async { end.resume(returning: self.wait()) }
    }
  }

  /// Ends this process by signal 9 as soon as nobody has the other end of a pipe open: a process that its parent has started ends with it.
  ///
  /// - Parameter pipe: the end to read from.
  package static func endProcess(afterClosing pipe: Int32) {
    DispatchQueue(label: "ribserver.parent").async {
      var byte: UInt8 = 0
      while read(pipe, &byte, 1) != 0 {}
      kill(getpid(), SIGKILL)
    }
  }

  /// Waits on this thread until the process has ended.
  func wait() -> End {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return end.withLock { end in
      if let end { return end }
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      let known: End = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
      end = known
      return known
    }
  }

  #if os(Linux)
    /// By its path, from which the new process has its name; a file that was replaced meanwhile is found by the system alone.
    private static let program = {
      let own = "/proc/self/exe"
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(own, &path, path.count)
      guard count > 0, count < path.count else { return own }
      let name = String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
      return access(name, X_OK) == 0 ? name : own
    }()
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
}
