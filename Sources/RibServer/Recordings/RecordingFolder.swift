import Logging
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
  }

  /// How long lines gather before they are written, in nanoseconds.
  private static let pause: UInt64 = 50_000_000
  /// The most bytes that may wait for a disk that does not keep up; what comes then is given up.
  static let backlogLimit = 64 << 20

  let path: String
  private let logger: Logger
  private let queue: any JobQueue
  private let state = Mutex(State())
  private let backlog = Atomic<Int>(0)

  /// A folder.
  ///
  /// - Parameters:
  ///   - path: the directory.
  ///   - logger: told of recordings that are given up.
  ///   - environment: what makes its queue.
  init(_ path: String, _ logger: Logger, _ environment: Environment) {
    self.path = path
    self.logger = logger
    queue = environment.makeQueue("ribserver.recordings", .background)
  }

  /// A recorder for a life of a session.
  func makeRecorder(of session: SessionIdentity) -> TransactionRecorder {
    let file = RecordingFile("\(path)/\(session.id).jsonl", session: session.id)
    let header = SessionRecording.Header(
      build: Server.version, app: session.app, session: session.id, parameters: session.parameters)
    return TransactionRecorder(header) { [self] line in append(line, to: file) }
  }

  private func append(_ line: [UInt8], to file: RecordingFile) {
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
      defer { state = State() }
      return state.waiting
    }
    for file in files {
      let lines = file.take()
      backlog.subtract(lines.count, ordering: .relaxed)
      if let reason = file.write(lines) { giveUp(file, reason) }
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
