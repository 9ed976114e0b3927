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
/// The files are in the state directory, in `recordings`. Of servers that have the same state directory at the same time the second one has
/// `recordings-1`, and so on: each removes what is too old in its own alone, as it does not know which sessions the others record.
final class OnDemandRecordings: Sendable {
  /// How many sessions are recorded at most.
  static let sessionLimit = 100
  /// For how long after an operator has asked for it a session is recorded, in seconds.
  static let lifetime = 86_400
  /// How long until what earlier servers have recorded is looked at again, in nanoseconds.
  private static let leftoversPause: UInt64 = 3_600_000_000_000

  /// A directory that no other server removes anything from.
  private struct Own {
    let folder: RecordingFolder
    let lock: DirectoryLock
  }

  private struct State {
    /// Where this server records; nil before it does.
    var folder: RecordingFolder?
    /// The seconds since 1970 at which sessions are recorded no more, by their names.
    var ends: [String: Int] = [:]
  }

  private let path: String
  private let retention: RecordingRetention?
  private let logger: Logger
  private let metrics: ServerMetrics
  private let environment: Environment
  private let queue: any JobQueue
  /// The directory of this server; nil before there is one.
  ///
  /// Whoever has the lock may wait for the disk, which loops do not: they look at the state alone.
  private let own = Mutex<Own?>(nil)
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
    queue = environment.makeQueue("ribserver.recordings.leftovers", .background)
  }

  /// Removes what earlier servers have recorded, as far as it is not to be kept any longer: at once, and each hour, as those may run still
  /// that this one takes over from.
  ///
  /// Nothing is made if nothing was recorded.
  func removeLeftovers() {
    guard retention != nil else { return }
    own.withLock { own in
      for number in 0..<Self.directoryLimit {
        let path = directory(number)
        guard access(path, F_OK) == 0, let lock = try? DirectoryLock(path) else { continue }
        let folder = makeFolder(path)
        // Behind the folder's first look.
        folder.flush()
        if own == nil { own = Own(folder: folder, lock: lock) }
      }
    }
    queue.add(after: Self.leftoversPause) { [weak self] in self?.removeLeftovers() }
  }

  /// Has a session recorded for a day, from when it comes into memory next.
  ///
  /// - Parameter session: the session's name.
  /// - Returns: the directory that the recording is in.
  /// - Throws: ``StoreError`` if the directory cannot be made, or if too many sessions are recorded.
  func add(_ session: String) throws(StoreError) -> String {
    let folder = try makeOwn()
    let now = environment.time.wall()
    let isTaken = state.withLock { state in
      state.folder = folder
      state.ends = state.ends.filter { $0.value > now }
      guard state.ends[session] != nil || state.ends.count < Self.sessionLimit else { return false }
      state.ends[session] = now + Self.lifetime
      return true
    }
    guard isTaken else {
      throw StoreError(
        "\(Self.sessionLimit) sessions are recorded, each for a day after that was asked for: no more are.")
    }
    return folder.path
  }

  /// Makes what records a session that comes into memory.
  ///
  /// - Parameter session: the session.
  /// - Returns: the recorder; nil if the session is not recorded.
  func makeRecorder(of session: SessionIdentity) -> TransactionRecorder? {
    let found = state.withLock { state in
      state.ends[session.id].flatMap { end in state.folder.map { (folder: $0, end: end) } }
    }
    guard let found, found.end > environment.time.wall() else { return nil }
    return found.folder.makeRecorder(of: session, until: found.end)
  }

  /// Writes what waits to be written.
  func flush() { state.withLock { $0.folder }?.flush() }

  // MARK: Directories

  /// More servers than have one state directory.
  private static let directoryLimit = 64

  private func directory(_ number: Int) -> String { number == 0 ? path : "\(path)-\(number)" }

  /// The directory of this server, which is made if there is none yet.
  private func makeOwn() throws(StoreError) -> RecordingFolder {
    let result = own.withLock { own -> Result<RecordingFolder, StoreError> in
      if let own { return .success(own.folder) }
      do throws(StoreError) {
        let made = try takeDirectory()
        own = made
        return .success(made.folder)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func takeDirectory() throws(StoreError) -> Own {
    for number in 0..<Self.directoryLimit {
      let path = directory(number)
      try ServerSettings.makeDirectory(path, "directory for recordings", flag: "--state-dir")
      if let lock = try DirectoryLock(path) { return Own(folder: makeFolder(path), lock: lock) }
    }
    throw StoreError("Each directory \(path), to \(directory(Self.directoryLimit - 1)), is another server's.")
  }

  private func makeFolder(_ path: String) -> RecordingFolder {
    RecordingFolder(path, keeping: retention, logger, metrics, environment)
  }
}

/// The lock of a directory, until it is released: by the system when the process ends.
private final class DirectoryLock: Sendable {
  private let descriptor: Int32

  /// Locks a directory; nil if another process has.
  ///
  /// - Parameter path: where it is.
  /// - Throws: ``StoreError`` if it cannot be locked for another reason, as if descriptors run out.
  init?(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError("\(SystemError.last("open \(path)"))") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = SystemError.last("flock \(path)")
      closeDescriptor(descriptor)
      guard error.code == EWOULDBLOCK else { throw StoreError("\(error)") }
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { closeDescriptor(descriptor) }
}
