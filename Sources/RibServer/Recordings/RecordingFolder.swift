import Logging
import Metrics
import RibCore
import Synchronization
import Wire

/// Where sessions are recorded: a file each, written on a queue of its own, so that no loop waits for the disk.
///
/// No descriptor is kept: a file is opened for what has gathered meanwhile, and closed again.
final class RecordingFolder: Sendable {
  private struct State {
    /// Files that something is to be written to, in order.
    var waiting: [RecordingFile] = []
    var isScheduled = false
    /// The recordings of sessions in memory, and some of sessions that have left it.
    var used: [UsedFile] = []
    /// Bytes that were written since surplus recordings were removed.
    var written = 0
  }

  /// A recording that more is written to as long as its session is in memory.
  private struct UsedFile {
    weak var file: RecordingFile?
    /// The seconds since 1970 at which nothing is written any more; nil for never.
    let end: Int?
  }

  /// How long lines gather before they are written, in nanoseconds.
  private static let pause: UInt64 = 50_000_000
  /// The most bytes that may wait for a disk that does not keep up; what comes then is given up.
  static let backlogLimit = 64 << 20
  /// How long until surplus recordings are removed again, in nanoseconds, unless much is written.
  private static let removalPause: UInt64 = 60_000_000_000

  let path: String
  /// How long recordings are kept; nil for ever.
  let retention: RecordingRetention?
  let logger: Logger
  /// Counts recordings that were removed.
  let removals: Counter
  let clock: TimeSource
  private let queue: any JobQueue
  private let state = Mutex(State())
  private let backlog = Atomic<Int>(0)

  /// A folder.
  ///
  /// - Parameters:
  ///   - path: the directory.
  ///   - retention: how long recordings are kept in it; nil for ever.
  ///   - logger: told of recordings that are given up, or removed.
  ///   - metrics: where those that are removed are counted.
  ///   - environment: what makes its queue, and tells the time.
  init(
    _ path: String, keeping retention: RecordingRetention?, _ logger: Logger, _ metrics: ServerMetrics,
    _ environment: Environment
  ) {
    self.path = path
    self.retention = retention
    self.logger = logger
    removals = metrics.removedRecordings
    clock = environment.time
    queue = environment.makeQueue("ribserver.recordings", .background)
    if retention != nil { queue.add { [weak self] in self?.goOnRemoving() } }
  }

  /// A recorder for a life of a session.
  ///
  /// - Parameters:
  ///   - session: the session.
  ///   - end: the seconds since 1970 from which on nothing is recorded any more, whether the session is in memory still or not; nil for never.
  /// - Returns: the recorder.
  func makeRecorder(of session: SessionIdentity, until end: Int? = nil) -> TransactionRecorder {
    let file = RecordingFile("\(path)/\(session.id)\(Self.suffix)", session: session.id)
    if retention != nil { state.withLock { $0.used.append(UsedFile(file: file, end: end)) } }
    let header = SessionRecording.Header(
      build: Server.version, app: session.app, session: session.id, parameters: session.parameters)
    return TransactionRecorder(header) { [self] line in
      if let end, clock.wall() >= end { return }
      append(line, to: file)
    }
  }

  func append(_ line: [UInt8], to file: RecordingFile) {
    guard backlog.load(ordering: .relaxed) + line.count <= Self.backlogLimit else {
      return giveUp(file, "More than \(Self.backlogLimit >> 20) MiB wait to be written.")
    }
    let (isTaken, isFirst) = file.append(line)
    guard isTaken else { return }
    backlog.add(line.count, ordering: .relaxed)
    guard isFirst else { return }
    let mustSchedule = state.withLock { state in
      state.waiting.append(file)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { queue.add(after: Self.pause) { [self] in write() } }
  }

  /// Writes everything, and returns when it is written.
  func flush() { queue.run { write() } }

  private func write() {
    let files = state.withLock { state in
      defer { (state.waiting, state.isScheduled) = ([], false) }
      return state.waiting
    }
    var written = 0
    for file in files {
      let lines = file.take()
      written += lines.count
      backlog.subtract(lines.count, ordering: .relaxed)
      if let reason = file.write(lines) { giveUp(file, reason) }
    }
    guard let retention else { return }
    let isMuch = state.withLock { state in
      state.written += written
      return state.written > retention.step
    }
    if isMuch { removeSurplus() }
  }

  private func goOnRemoving() {
    removeSurplus()
    queue.add(after: Self.removalPause) { [weak self] in self?.goOnRemoving() }
  }

  /// The names of recordings that more is written to; what is written from here on counts for the next removal.
  func namesInUse() -> Set<String> {
    let now = clock.wall()
    return state.withLock { state in
      state.written = 0
      state.used.removeAll { $0.file == nil || $0.end.map { $0 <= now } == true }
      return Set(state.used.compactMap { $0.file.map { "\($0.session)\(Self.suffix)" } })
    }
  }

  private func giveUp(_ file: RecordingFile, _ reason: String) {
    guard let dropped = file.giveUp() else { return }
    backlog.subtract(dropped, ordering: .relaxed)
    logger.error(
      "A session is not recorded any more.",
      metadata: ["session": "\(file.session)", "file": "\(file.path)", "reason": "\(reason)"])
  }
}
