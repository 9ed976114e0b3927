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

/// The server that `ribd demo` supervises: its page kills it and deploys another version, and it starts again by itself.
///
/// | request | starting | running | stopping | dead |
/// |---|---|---|---|---|
/// | kill | signal 9 | signal 9 | – | – |
/// | start | – | – | – | starts at once |
/// | deploy | – | SIGTERM, then version 2 | – | – |
/// | reload | SIGHUP once it runs | SIGHUP | – | – |
/// | end | SIGTERM once it runs; signal 9 if asked again | SIGTERM | ends with it | ends at once |
final class DemoServer: Sendable {
  /// How long the server stays dead after the button, in seconds: time for some clicks that have to wait.
  static let pause = 5

  /// The state of the server, as the page shows it.
  struct Status: Codable, Equatable, Sendable {
    enum Phase: String, Codable { case starting, running, stopping, dead }

    var phase: Phase
    /// The number of the process that runs, or that ran last.
    var process: Int32
    var version: Int
    /// In how many seconds the server starts again, if it is dead.
    var secondsLeft: Int?
  }

  private enum State {
    case starting(ChildProcess)
    /// The process listens.
    case running(ChildProcess)
    /// The process was sent SIGTERM; afterwards the second version starts, or the supervisor ends.
    case stopping(ChildProcess, isDeploying: Bool)
    /// The task ends when the server is to start.
    case dead(Task<Void, any Error>?)
  }

  private struct Plan {
    var state = State.dead(nil)
    /// Whether it was the button that killed the process.
    var wasKilled = false
    /// Whether a process that starts is to read its settings again.
    var reloads = false
    /// Whether the supervisor ends with the process.
    var isEnding = false
  }

  /// The state of the server for all pages.
  let status: SharedValue<Status>
  private let record: DemoRecord?
  private let plan = Mutex(Plan())
  /// Both ends of the pipe by which the server learns that the supervisor has ended.
  private let life: (reading: Int32, writing: Int32)

  /// A server that does not run yet.
  ///
  /// - Parameter record: where the version is kept that was deployed last; nil for a server whose sessions end with it.
  /// - Throws: `SystemError`.
  init(record: DemoRecord?) throws {
    self.record = record
    status = SharedValue(Status(phase: .dead, process: 0, version: (record?.version ?? .first).rawValue))
    life = try Self.makePipe()
  }

  private static func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(operation: "make a pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  // MARK: Requests

  /// Kills the server with signal 9, if it runs.
  func killServer() {
    plan.withLock { plan in
      switch plan.state {
      case .starting(let child), .running(let child):
        plan.wasKilled = true
        child.send(SIGKILL)
      case .stopping, .dead: break
      }
    }
  }

  /// Starts a dead server at once.
  func start() {
    plan.withLock { plan in
      if case .dead(let pause) = plan.state { pause?.cancel() }
    }
  }

  /// Stops the server in order, and starts the program whose counter has another state.
  func deploy() {
    plan.withLock { plan in
      guard case .running(let child) = plan.state, status.value.version == CounterVersion.first.rawValue else { return }
      stop(child, isDeploying: true, &plan)
    }
  }

  /// Has the server read its settings again.
  func reload() {
    plan.withLock { plan in
      switch plan.state {
      // A server handles signals once it listens.
      case .starting: plan.reloads = true
      case .running(let child): child.send(SIGHUP)
      case .stopping, .dead: break
      }
    }
  }

  /// Stops the server in order, and for good.
  func end() {
    plan.withLock { plan in
      let isAgain = plan.isEnding
      plan.isEnding = true
      switch plan.state {
      case .starting(let child): if isAgain { child.send(SIGKILL) }
      case .running(let child): stop(child, isDeploying: false, &plan)
      case .stopping(let child, _): plan.state = .stopping(child, isDeploying: false)
      case .dead(let pause): pause?.cancel()
      }
    }
  }

  private func stop(_ child: ChildProcess, isDeploying: Bool, _ plan: inout Plan) {
    plan.state = .stopping(child, isDeploying: isDeploying)
    // Before the signal: pages look at the phase when their connection ends.
    status.update { $0.phase = .stopping }
    child.send(SIGTERM)
    // A process under SIGSTOP handles SIGTERM only after SIGCONT.
    child.send(SIGCONT)
  }

  // MARK: Life

  /// Starts the server, again and again, until it ends by itself or the supervisor is to end.
  ///
  /// - Parameters:
  ///   - arguments: its command line, without its name.
  ///   - controls: what its page is told of the supervisor (``DemoOrder/controls``).
  /// - Returns: the exit status of the supervisor.
  /// - Throws: `SystemError` if the server cannot be started.
  func run(_ arguments: [String], controls: String) async throws -> Int32 {
    /// How many processes in a row have died before they listened.
    var earlyDeaths = 0
    while true {
      guard let (child, ready) = try begin(arguments, controls) else { return 0 }
      async let isReady: Void = listen(child, ready)
      let end = await child.ended()
      await isReady
      let last = plan.withLock { plan in
        defer { (plan.state, plan.wasKilled, plan.reloads) = (.dead(nil), false, false) }
        return plan
      }
      switch (last.state, end) {
      case (_, .killed(let signal)) where last.isEnding: return 128 + signal
      case (.stopping(_, isDeploying: true), .exited):
        do {
          try record?.keep(.second)
        } catch {
          complain("The next start of the demo does not know that version 2 is deployed. \(error)")
        }
        status.update { $0.version = CounterVersion.second.rawValue }
        continue
      case (_, .exited(let status)): return status
      case (_, .unknown):
        complain("The system does not tell how the server has ended.")
        return 1
      case (.starting, .killed): earlyDeaths = last.wasKilled ? 0 : earlyDeaths + 1
      case (_, .killed): earlyDeaths = 0
      }
      guard earlyDeaths < 3 else {
        complain("The server ends as soon as it has started.")
        return 1
      }
      await wait(seconds: last.wasKilled ? Self.pause : 1)
    }
  }

  /// Starts a process, unless the supervisor is to end.
  ///
  /// - Returns: the process, and the pipe from which a byte comes once it listens.
  private func begin(_ arguments: [String], _ controls: String) throws -> (ChildProcess, Int32)? {
    try plan.withLock { plan in
      guard !plan.isEnding else { return nil }
      let version = CounterVersion(rawValue: status.value.version) ?? .first
      let ready = try Self.makePipe()
      defer { close(ready.writing) }
      let child = try ChildProcess(
        arguments, variables: [DemoOrder.variable: DemoOrder(version, controls: controls).text],
        descriptors: [(STDIN_FILENO, life.reading), (DemoOrder.readyDescriptor, ready.writing)], hasOwnGroup: true)
      plan.state = .starting(child)
      status.update { $0 = Status(phase: .starting, process: child.id, version: version.rawValue) }
      return (child, ready.reading)
    }
  }

  /// Waits until a process listens, and gives it the signals that have waited for that.
  private func listen(_ child: ChildProcess, _ ready: Int32) async {
    guard await ChildProcess.byte(from: ready) else { return }
    plan.withLock { plan in
      guard case .starting = plan.state else { return }
      plan.state = .running(child)
      status.update { $0.phase = .running }
      if plan.reloads { child.send(SIGHUP) }
      if plan.isEnding { stop(child, isDeploying: false, &plan) }
    }
  }

  /// Waits before the next start.
  private func wait(seconds: Int) async {
    let pause = Task { [status] in
      for left in (1...seconds).reversed() {
        status.update { ($0.phase, $0.secondsLeft) = (.dead, left) }
        try await Task.sleep(for: .seconds(1))
      }
    }
    plan.withLock { plan in
      plan.state = .dead(pause)
      if plan.isEnding { pause.cancel() }
    }
    _ = await pause.result
  }
}
