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
    /// The system does not tell: this process ignores the ends of its children.
    case unknown
  }

  /// The number of the process.
  package let id: Int32
  private let end = Mutex<End?>(nil)

  /// Starts this program.
  ///
  /// - Parameters:
  ///   - arguments: without the name of the program.
  ///   - variables: environment variables, besides those of this process.
  ///   - descriptors: descriptors of the new process, each with the descriptor of this process that it is; nil for `/dev/null`. Descriptors that are not
  ///     named are inherited, if they are not closed by `exec`.
  ///   - hasOwnGroup: whether signals of the terminal reach this process alone.
  /// - Throws: ``SystemError``.
  package init(
    _ arguments: [String], variables: [String: String],  // safe text: own
    descriptors: [(new: Int32, source: Int32?)], hasOwnGroup: Bool = false
  ) throws(SystemError) {
    let inherited = Self.environment.filter { entry in !variables.keys.contains { entry.hasPrefix("\($0)=") } }
    let environment = Self.strings(inherited + variables.map { "\($0.key)=\($0.value)" })
    let arguments = Self.strings([CommandLine.arguments[0]] + arguments)
    defer { for case let string? in environment + arguments { free(string) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // dup2(2) could overwrite a source that a later entry needs: each is copied first.
    var copies: [Int32] = []
    defer { copies.forEach(closeDescriptor) }
    for (new, source) in descriptors {
      if let source {
        let copy = fcntl(source, F_DUPFD_CLOEXEC, 64)
        guard copy >= 0 else { throw .last("copy a descriptor") }
        copies.append(copy)
        posix_spawn_file_actions_adddup2(&actions, copy, new)
      } else {
        posix_spawn_file_actions_addopen(&actions, new, "/dev/null", O_RDONLY, 0)
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

  /// Waits on this thread until the process has ended.
  func wait() -> End {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return end.withLock { end in
      if let end { return end }
      var status: Int32 = 0
      var waited: pid_t = -1
      repeat { waited = waitpid(id, &status, 0) } while waited < 0 && errno == EINTR
      let signal = status & 0x7f
      let known: End = waited < 0 ? .unknown : signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
      end = known
      return known
    }
  }

  // MARK: Pipes

  /// Waits for a byte.
  ///
  /// - Parameter pipe: the end to read from; it is closed afterwards.
  /// - Returns: whether a byte has come; false if the other end was closed before.
  package static func byte(from pipe: Int32) async -> Bool {
    await withCheckedContinuation { byte in
      DispatchQueue(label: "ribserver.byte").async {
        let hasCome = readByte(pipe) == 1
        closeDescriptor(pipe)
        byte.resume(returning: hasCome)
      }
    }
  }

  /// Ends this process by signal 9 as soon as nobody has the other end of a pipe open: a process that its parent has started ends with it.
  ///
  /// - Parameter pipe: the end to read from.
  package static func endProcess(afterClosing pipe: Int32) {
    DispatchQueue(label: "ribserver.parent").async {
      while true {
        switch readByte(pipe) {
        case 0: kill(getpid(), SIGKILL)
        case 1: continue
        default: return
        }
      }
    }
  }

  /// Reads a byte: 1 if there is one, 0 at the end, −1 for an error.
  private static func readByte(_ descriptor: Int32) -> Int {
    var byte: UInt8 = 0
    var count = 0
    repeat { count = read(descriptor, &byte, 1) } while count < 0 && errno == EINTR
    return count
  }

  // MARK: The program

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
