import RibCore
import RibServer
import Showcase
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The server that `ribd demo` supervises: it is killed and deployed by the buttons of its page, and starts again by itself.
final class DemoServer: Sendable {
  /// How long the server stays dead after the button, in seconds: time for some clicks that have to wait.
  static let pause = 5

  /// What the page shows of the server.
  struct Status: Codable, Equatable, Sendable {
    enum Phase: String, Codable { case running, stopping, dead }

    var phase: Phase
    /// The number of the process that runs, or that ran last.
    var process: Int32
    var version: Int
    /// In how many seconds the server starts again, if it is dead.
    var secondsLeft: Int?
  }

  /// What happens next to the process.
  private struct Plan {
    var child: ChildProcess?
    /// The wait of a dead server.
    var pause: Task<Void, any Error>?
    /// Whether it was the button that killed the process.
    var wasKilled = false
    var isDeploying = false
    /// Whether the supervisor ends with the process.
    var isEnding = false
  }

  /// What the page shows.
  let status: SharedValue<Status>
  private let record: DemoRecord?
  private let plan = Mutex(Plan())
  /// Both ends of the pipe by which the server learns that the supervisor has ended.
  private let pipe: (reading: Int32, writing: Int32)

  /// A server that does not run yet.
  ///
  /// - Parameter record: where the version is kept that was deployed last; nil for a server whose sessions end with it.
  /// - Throws: `SystemError`.
  init(record: DemoRecord?) throws {
    self.record = record
    let version = record?.version ?? .first
    status = SharedValue(Status(phase: .dead, process: 0, version: version.rawValue))
    var ends: [Int32] = [-1, -1]
    guard Self.makePipe(&ends) == 0 else { throw SystemError(operation: "make a pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.pipe = (ends[0], ends[1])
  }

  private static func makePipe(_ ends: inout [Int32]) -> Int32 {
    #if canImport(Glibc)
      Glibc.pipe(&ends)
    #elseif canImport(Musl)
      Musl.pipe(&ends)
    #else
      Darwin.pipe(&ends)
    #endif
  }

  /// Kills the server with signal 9, if it runs.
  func kill() {
    plan.withLock { plan in
      guard let child = plan.child, !plan.isEnding else { return }
      plan.wasKilled = true
      child.send(SIGKILL)
    }
  }

  /// Starts a dead server at once.
  func start() { plan.withLock { $0.pause?.cancel() } }

  /// Stops the server in order, and starts the program whose counter has another state.
  func deploy() {
    let isPossible = plan.withLock { plan in
      guard let child = plan.child, !plan.isEnding, !plan.isDeploying, status.value.version == 1 else { return false }
      plan.isDeploying = true
      child.send(SIGTERM)
      return true
    }
    if isPossible { status.update { $0.phase = .stopping } }
  }

  /// Has the server read its settings again.
  func reload() { plan.withLock { $0.child?.send(SIGHUP) } }

  /// Stops the server in order, and for good.
  func end() {
    plan.withLock { plan in
      plan.isEnding = true
      plan.child?.send(SIGTERM)
      plan.pause?.cancel()
    }
  }

  /// Starts the server, again and again, until it ends by itself or the supervisor is to end.
  ///
  /// - Parameters:
  ///   - arguments: its command line, without its name.
  ///   - controls: what its page is told of the supervisor (``DemoOrder/controls``).
  /// - Returns: the exit status of the supervisor.
  /// - Throws: `SystemError` if the server cannot be started.
  func run(_ arguments: [String], controls: String) async throws -> Int32 {
    var earlyDeaths = 0
    while true {
      let start = ContinuousClock.now
      let child = try begin(arguments, controls)
      let end = await child.ended()
      let done = plan.withLock { plan in
        plan.child = nil
        defer { (plan.wasKilled, plan.isDeploying) = (false, false) }
        return plan
      }
      switch end {
      case .exited where done.isDeploying && !done.isEnding:
        try record?.keep(.second)
        status.update { $0.version = CounterVersion.second.rawValue }
        continue
      case .exited(let status): return status
      case .killed(let signal) where done.isEnding: return 128 + signal
      case .killed: break
      }
      earlyDeaths = done.wasKilled || start.duration(to: .now) > .seconds(1) ? 0 : earlyDeaths + 1
      guard earlyDeaths < 3 else {
        complain("The server ends as soon as it has started.")
        return 1
      }
      guard await wait(seconds: done.wasKilled ? Self.pause : 1) else { return 0 }
    }
  }

  private func begin(_ arguments: [String], _ controls: String) throws -> ChildProcess {
    guard let version = CounterVersion(rawValue: status.value.version) else {
      preconditionFailure("There are only versions that were deployed.")
    }
    let order = DemoOrder(version, controls: controls)
    let child = try plan.withLock { plan in
      let child = try ChildProcess(
        arguments, variables: [DemoOrder.variable: order.text], descriptors: [0: pipe.reading], hasOwnGroup: true)
      plan.child = child
      return child
    }
    status.update { $0 = Status(phase: .running, process: child.id, version: version.rawValue) }
    return child
  }

  /// Waits before the next start.
  ///
  /// - Returns: whether there is one.
  private func wait(seconds: Int) async -> Bool {
    status.update { $0.phase = .dead }
    let pause = Task { [status] in
      for left in (1...seconds).reversed() {
        status.update { $0.secondsLeft = left }
        try await Task.sleep(for: .seconds(1))
      }
    }
    let isEnding = plan.withLock { plan in
      plan.pause = pause
      return plan.isEnding
    }
    if isEnding { pause.cancel() }
    _ = await pause.result
    return plan.withLock { plan in
      plan.pause = nil
      return !plan.isEnding
    }
  }
}

/// The version that was deployed last, in a file beside the sessions: an older program could not read them.
struct DemoRecord: Sendable {
  private let path: String

  /// The record in a directory.
  init(in directory: String) { path = "\(directory)/demo-version" }

  /// What is recorded; nil for nothing.
  var version: CounterVersion? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    let byte = fgetc(file)
    return byte < 0 ? nil : CounterVersion(rawValue: Int(byte) - Int(UInt8(ascii: "0")))
  }

  /// Records a version.
  ///
  /// - Throws: `SystemError`.
  func keep(_ version: CounterVersion) throws {
    guard let file = fopen(path, "w") else { throw SystemError(operation: "write \(path)", code: errno) }
    let isWritten = fputs("\(version.rawValue)\n", file) >= 0
    guard fclose(file) == 0, isWritten else { throw SystemError(operation: "write \(path)", code: errno) }
  }
}
