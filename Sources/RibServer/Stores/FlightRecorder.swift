import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Something of a session that was running when a process ended: an action, what an effect sent, or the session's return.
package struct FlightEntry: Equatable, Sendable {
  /// The session's name.
  package let sessionID: String
  /// The client whose action it was; 0 for none.
  package let client: Int
  /// The action; without a client 0 for a wake, or the number of an effect, for what it has sent.
  package let number: Int

  /// Something that was running.
  package init(sessionID: String, client: Int, number: Int) {
    self.sessionID = sessionID
    self.client = client
    self.number = number
  }
}

/// Something of an app that was running when a process ended, for no session that a later process could know.
package struct AppFlight: Equatable, Sendable {
  /// What of an app runs beside the transactions of its sessions.
  package enum Work: UInt64, Sendable {
    /// A new session begins: its root is built, and its tree started.
    case start
    /// A step of the walk with which a new session begins.
    case walk
    /// A tree is built to see what the app shows and takes.
    case description
  }

  /// The app's name: its first 32 bytes.
  package let app: String
  /// What it was.
  package let work: Work

  /// Something that was running.
  package init(app: String, work: Work) {
    self.app = app
    self.work = work
  }
}

/// What is noted of a loop.
enum FlightNote: Equatable {
  case session(FlightEntry)
  case app(AppFlight)
  /// The mark of the process; of no loop.
  case process(Int)
}

/// Notes what each loop runs, in memory that outlives the process: if user code makes it die, the next start knows what did.
///
/// The memory is a mapped file. A write to it is a write to memory, and what was written is in the file whatever becomes of
/// the process; only a power cut may lose it, and no action is to blame for one. Each process locks a file of its own: one
/// that nobody has locked was left by a process that has died.
///
/// `@unchecked Sendable`: the memory belongs to the slots, and each slot to its loop.
final class FlightRecorder: @unchecked Sendable {
  /// Bytes of a slot: a line of the processor's cache.
  private static let slotSize = 64

  /// The file's number: the lowest that no process has that runs.
  let number: Int
  /// The numbers of the processes that run.
  let others: [Int]
  private let memory: UnsafeMutableRawPointer
  private let size: Int
  private let descriptor: Int32

  /// Opens a file of its own in a directory, once what earlier processes have left there is stored.
  ///
  /// Meanwhile no other process of the directory can start: which ones run is true until `store` is done.
  ///
  /// - Parameters:
  ///   - directory: where.
  ///   - slotCount: the number of loops.
  ///   - store: takes what was found. If it throws, all is left for the next start to find.
  /// - Throws: ``SystemError``, or what `store` throws.
  /// - Returns: the recorder.
  static func open(
    in directory: String, slotCount: Int, storing store: (StoreStart) throws -> Void
  ) throws -> FlightRecorder {
    let files = try FlightFiles(in: directory)
    try store(files.start)
    return try files.takeOwn(slotCount: slotCount)
  }

  /// Does something with a directory that no process uses; meanwhile none can start.
  ///
  /// - Parameters:
  ///   - directory: where.
  ///   - body: what is done; afterwards there may be sessions there, of which none is known to have run when a process died: what was noted
  ///     of the sessions that were there before is forgotten.
  /// - Throws: ``StoreError`` if a process uses it, ``SystemError``, or what `body` throws.
  /// - Returns: what `body` returns.
  static func whileIdle<Value>(in directory: String, _ body: () throws -> Value) throws -> Value {
    let files = try FlightFiles(in: directory)
    return try withExtendedLifetime(files) {
      guard files.start.others.isEmpty else {
        throw StoreError("A server uses \(directory): stop it first. Until it has stopped, nothing is changed.")
      }
      let value = try body()
      files.empty()
      files.start.starts?.increment()
      return value
    }
  }

  fileprivate init(
    _ number: Int, besides others: [Int], _ descriptor: Int32, _ path: String, _ slotCount: Int
  ) throws(SystemError) {
    self.number = number
    self.others = others
    self.descriptor = descriptor
    size = (slotCount + 1) * Self.slotSize
    // Written, not only made longer: on a full disk a hole in the file would kill the process that writes to its memory.
    let zeros = [UInt8](repeating: 0, count: size)
    guard ftruncate(descriptor, 0) == 0 else { throw .last("resize \(path)") }
    let written = pwrite(descriptor, zeros, size, 0)
    guard written == size else {
      // A short write: the disk is full.
      throw SystemError(operation: "resize \(path)", code: written < 0 ? errno : ENOSPC)
    }
    let map = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let map, map != MAP_FAILED else { throw .last("map \(path)") }
    memory = map
  }

  /// A recorder in memory that ends with the process: for its watchdog, where nothing outlives the process.
  ///
  /// - Parameter slotCount: the number of loops.
  init(slotCount: Int) {
    number = 0
    others = []
    descriptor = -1
    size = (slotCount + 1) * Self.slotSize
    memory = .allocate(byteCount: size, alignment: Self.slotSize)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit {
    guard descriptor >= 0 else { return memory.deallocate() }
    munmap(memory, size)
    closeDescriptor(descriptor)
  }

  /// What is noted in a file.
  fileprivate static func notes(in descriptor: Int32) -> [FlightNote] {
    var bytes = [UInt8](repeating: 0, count: 1024 * slotSize)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return [] }
    return stride(from: 0, to: count - count % slotSize, by: slotSize).compactMap { start in
      bytes.withUnsafeBytes { bytes in
        let slot = UnsafeRawBufferPointer(rebasing: bytes[start..<start + slotSize])
        return note(in: slot, slot.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
      }
    }
  }

  /// What of a slot's first word says what is noted in it.
  fileprivate enum Kind: UInt64 {
    case nothing, session, app, process
  }

  /// What is noted in a slot; nil for nothing, or for what no process has written.
  private static func note(in slot: UnsafeRawBufferPointer, _ kind: UInt64) -> FlightNote? {
    let number = slot.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    let name = String(decoding: slot[24..<56].prefix { $0 != 0 }, as: UTF8.self)
    switch Kind(rawValue: kind) {
    case .session:
      let client = slot.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      return .session(
        FlightEntry(
          sessionID: name, client: Int(truncatingIfNeeded: client), number: Int(truncatingIfNeeded: number)))
    case .app: return AppFlight.Work(rawValue: number).map { .app(AppFlight(app: name, work: $0)) }
    case .process: return .process(Int(truncatingIfNeeded: number))
    case .nothing, nil: return nil
    }
  }

  /// Notes which process it is, for the next one to free what this one had.
  ///
  /// - Parameter process: its mark.
  func note(process: Int) {
    let slot = memory + size - Self.slotSize
    slot.storeBytes(of: UInt64(process), toByteOffset: 16, as: UInt64.self)
    slot.storeBytes(of: Kind.process.rawValue, as: UInt64.self)
  }

  /// The slot of a loop.
  ///
  /// - Parameter index: the loop's, from 0.
  /// - Returns: its part of the memory.
  func slot(_ index: Int) -> Slot {
    precondition((index + 2) * Self.slotSize <= size, "there is no slot \(index)")
    return Slot(recorder: self, memory: memory + index * Self.slotSize)
  }

  /// What one loop notes: at 0 whether something of a session or of an app runs, at 8 the client, at 16 the number or the kind of
  /// work, at 24 the session or the app, and at 56 how much has begun.
  ///
  /// `@unchecked Sendable`: it is written on its loop only. What the watchdog's thread reads are the first and the last word,
  /// which are atomic, and the others while the loop has stood still for seconds.
  struct Slot: @unchecked Sendable {
    /// Keeps the memory.
    private let recorder: FlightRecorder
    private let memory: UnsafeMutableRawPointer

    fileprivate init(recorder: FlightRecorder, memory: UnsafeMutableRawPointer) {
      self.recorder = recorder
      self.memory = memory
    }

    /// Notes that user code begins to run.
    ///
    /// - Parameters:
    ///   - sessionID: 32 characters.
    ///   - client: the client's id, or 0.
    ///   - number: the action's.
    @inline(never)
    func begin(_ sessionID: String, client: Int, number: Int) {
      note(sessionID, UInt64(client), UInt64(number), .session)
    }

    /// Notes that code of an app begins to run, for no session that the store knows.
    ///
    /// - Parameters:
    ///   - work: what it does.
    ///   - app: the app's name.
    @inline(never)
    func begin(_ work: AppFlight.Work, of app: String) {
      (memory + 24).initializeMemory(as: UInt8.self, repeating: 0, count: 32)
      note(app, 0, work.rawValue, .app)
    }

    @inline(__always)
    private func note(_ name: String, _ client: UInt64, _ number: UInt64, _ kind: Kind) {
      memory.storeBytes(of: client, toByteOffset: 8, as: UInt64.self)
      memory.storeBytes(of: number, toByteOffset: 16, as: UInt64.self)
      var text = name
      text.withUTF8 { utf8 in
        guard let start = utf8.baseAddress else { return }
        (memory + 24).copyMemory(from: start, byteCount: min(utf8.count, 32))
      }
      begun.pointee.store(begun.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
      state.pointee.store(kind.rawValue, ordering: .releasing)
    }

    /// Notes that it has returned.
    @inline(never)
    func end() { state.pointee.store(Kind.nothing.rawValue, ordering: .releasing) }

    // An Atomic has its value's layout (SE-0410), and so the file that of plain words.
    private var state: UnsafeMutablePointer<Atomic<UInt64>> { memory.assumingMemoryBound(to: Atomic<UInt64>.self) }
    private var begun: UnsafeMutablePointer<Atomic<UInt64>> {
      (memory + 56).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// How often something has begun; from any thread.
    var beginCount: UInt64 { begun.pointee.load(ordering: .relaxed) }

    /// What runs; nil for nothing.
    ///
    /// For another thread than the loop's, once the loop has stood still.
    var running: FlightNote? {
      let kind = state.pointee.load(ordering: .acquiring)
      return FlightRecorder.note(in: UnsafeRawBufferPointer(start: memory, count: FlightRecorder.slotSize), kind)
    }
  }
}

/// The files of the processes of a directory, while one of them starts.
private final class FlightFiles {
  private static let prefix = "flight-"
  /// Locked by a process that starts; counts the processes that have begun.
  private static let lockName = "flight-lock"

  /// The process, and what was found.
  let start: StoreStart
  private let directory: String
  /// The files that are locked here, in the order of their numbers: the first is the process's own.
  private var descriptors: [(number: Int, descriptor: Int32)]
  private let lock: Int32

  /// Locks the files of processes that have died, and the directory.
  ///
  /// - Parameter directory: where they are.
  /// - Throws: ``SystemError``.
  init(in directory: String) throws(SystemError) {
    self.directory = directory
    let lockPath = "\(directory)/\(Self.lockName)"
    lock = openFile(lockPath)
    guard lock >= 0 else { throw .last("open \(lockPath)") }
    descriptors = []
    var start = StoreStart()
    do throws(SystemError) {
      guard flock(lock, LOCK_EX) == 0 else { throw .last("lock \(lockPath)") }
      start.lastStart = Self.takeStart(of: lock)
      start.starts = try StartCounter(lock, lockPath)
      // One more than there are processes is enough to find a free one.
      for number in 0..<1024 {
        let path = "\(directory)/\(Self.prefix)\(number)"
        let isOld = access(path, F_OK) == 0
        guard isOld || descriptors.isEmpty else { break }
        let descriptor = openFile(path)
        guard descriptor >= 0 else { throw .last("open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
          closeDescriptor(descriptor)
          start.others.append(number)
          continue
        }
        descriptors.append((number, descriptor))
        for note in FlightRecorder.notes(in: descriptor) {
          switch note {
          case .session(let entry): start.crashes.append(entry)
          case .app(let flight): start.appCrashes.append(flight)
          case .process(let mark): start.predecessors.append(mark)
          }
        }
      }
      guard let own = descriptors.first else {
        throw SystemError(operation: "lock a flight recorder in \(directory)", code: EAGAIN)
      }
      start.number = own.number
    } catch {
      for entry in descriptors { closeDescriptor(entry.descriptor) }
      closeDescriptor(lock)
      throw error
    }
    self.start = start
  }

  /// Marks the file that is locked with the time of this start.
  ///
  /// - Parameter lock: the file.
  /// - Returns: when the last start was, in nanoseconds since 1970.
  private static func takeStart(of lock: Int32) -> Int64 {
    var status = stat()
    guard fstat(lock, &status) == 0 else { return 0 }
    // If that fails, the next start looks at older crash reports, too.
    futimens(lock, nil)
    return status.changed
  }

  deinit {
    for entry in descriptors { closeDescriptor(entry.descriptor) }
    // The lock would last as long as the counter's mapping does.
    flock(lock, LOCK_UN)
    closeDescriptor(lock)
  }

  /// Empties the files.
  func empty() {
    for entry in descriptors { ftruncate(entry.descriptor, 0) }
  }

  /// Empties the files, as the store has counted what was in them, and makes the first one the process's own.
  ///
  /// - Parameter slotCount: the number of loops.
  /// - Throws: ``SystemError``.
  /// - Returns: the recorder.
  func takeOwn(slotCount: Int) throws(SystemError) -> FlightRecorder {
    let own = descriptors.removeFirst()
    empty()
    let path = "\(directory)/\(Self.prefix)\(own.number)"
    do throws(SystemError) {
      return try FlightRecorder(own.number, besides: start.others, own.descriptor, path, slotCount)
    } catch {
      closeDescriptor(own.descriptor)
      throw error
    }
  }
}
