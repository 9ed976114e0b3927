import Logging
import RibCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The recordings of sessions that operators ask for, where not all sessions are recorded.
///
/// They are in the state directory, in `recordings`. Of servers that have the same state directory at the same time the second one has
/// `recordings-1`, and so on: each removes what is too old in its own alone, as it does not know which sessions the others record.
final class OnDemandRecordings: Sendable {
  /// How many sessions are recorded at most.
  static let sessionLimit = 100
  /// For how long after an operator has asked for it a session is recorded when it comes into memory, in seconds.
  static let lifetime = 86_400

  private struct State {
    /// The directory of this server; nil before there is one.
    var own: (folder: RecordingFolder, lock: DirectoryLock)?
    /// The seconds since 1970 at which sessions are recorded no more, by their names.
    var ends: [String: Int] = [:]
  }

  private let path: String
  private let retention: RecordingRetention?
  private let logger: Logger
  private let metrics: ServerMetrics
  private let environment: Environment
  private let state = Mutex(State())

  /// No recordings.
  ///
  /// - Parameters:
  ///   - settings: where the state directory is, and how long recordings are kept.
  ///   - logger: told of recordings that are given up, or removed.
  ///   - metrics: where those that are removed are counted.
  ///   - environment: the clock, and what makes queues.
  init(_ settings: ServerSettings, _ logger: Logger, _ metrics: ServerMetrics, _ environment: Environment) {
    path = settings.stateDirectory + "/recordings"
    retention = RecordingRetention(settings.recordings)
    self.logger = logger
    self.metrics = metrics
    self.environment = environment
  }

  /// Removes what earlier servers have recorded, as far as it is not to be kept any longer: at once, and from now on in the directory that
  /// this server has.
  ///
  /// Nothing is made if nothing was recorded.
  func removeLeftovers() {
    guard retention != nil else { return }
    state.withLock { state in
      for number in 0..<Self.directoryLimit {
        let path = directory(number)
        guard access(path, F_OK) == 0 else { return }
        guard let lock = DirectoryLock(path) else { continue }
        let folder = makeFolder(path)
        // Behind the folder's first look.
        folder.flush()
        if state.own == nil { state.own = (folder, lock) }
      }
    }
  }

  /// Has a session recorded whenever it comes into memory within a day.
  ///
  /// - Parameter session: the session's name.
  /// - Returns: the directory that the recording is in.
  /// - Throws: ``StoreError`` if the directory cannot be made, or if too many sessions are recorded.
  func add(_ session: String) throws(StoreError) -> String {
    let result = state.withLock { state -> Result<String, StoreError> in
      let now = environment.time.wall()
      state.ends = state.ends.filter { $0.value > now }
      guard state.ends[session] != nil || state.ends.count < Self.sessionLimit else {
        return .failure(
          StoreError(
            "\(Self.sessionLimit) sessions are recorded, each for a day after that was asked for: no more are."))
      }
      do throws(StoreError) {
        let own = if let own = state.own { own } else { try makeOwn() }
        state.own = own
        state.ends[session] = now + Self.lifetime
        return .success(own.folder.path)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Makes what records a session that comes into memory.
  ///
  /// - Parameter session: the session.
  /// - Returns: the recorder; nil if the session is not recorded.
  func makeRecorder(of session: SessionIdentity) -> TransactionRecorder? {
    let folder = state.withLock { state in
      state.ends[session.id].map { $0 > environment.time.wall() } == true ? state.own?.folder : nil
    }
    return folder?.makeRecorder(of: session)
  }

  /// Writes what waits to be written.
  func flush() { state.withLock { $0.own?.folder }?.flush() }

  // MARK: Directories

  /// More servers than have one state directory.
  private static let directoryLimit = 1024

  private func directory(_ number: Int) -> String { number == 0 ? path : "\(path)-\(number)" }

  private func makeOwn() throws(StoreError) -> (folder: RecordingFolder, lock: DirectoryLock) {
    for number in 0..<Self.directoryLimit {
      let path = directory(number)
      try ServerSettings.makeDirectory(path, "directory for recordings", flag: "--state-dir")
      if let lock = DirectoryLock(path) { return (makeFolder(path), lock) }
    }
    throw StoreError("No directory \(path) can be locked.")
  }

  private func makeFolder(_ path: String) -> RecordingFolder {
    RecordingFolder(path, keeping: retention, logger, metrics, environment)
  }
}

/// The lock of a directory, until it is released: by the system when the process ends.
private final class DirectoryLock: Sendable {
  private let descriptor: Int32

  /// Locks a directory; nil if another process has.
  init?(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      closeDescriptor(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { closeDescriptor(descriptor) }
}
