import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Something that was running when a process ended: an action, what an effect sent, or a session that was waking.
package struct FlightEntry: Equatable, Sendable {
  /// The session's name.
  package let sessionID: String
  /// The renderer whose action it was; 0 for none.
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

  fileprivate init(
    _ number: Int, besides others: [Int], _ descriptor: Int32, _ path: String, _ slotCount: Int
  ) throws(SystemError) {
    self.number = number
    self.others = others
    self.descriptor = descriptor
    size = slotCount * Self.slotSize
    // Written, not only made longer: on a full disk a hole in the file would kill whoever writes to its memory.
    let zeros = [UInt8](repeating: 0, count: size)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, zeros, size, 0) == size else {
      throw .last("resize \(path)")
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
    size = slotCount * Self.slotSize
    memory = .allocate(byteCount: size, alignment: Self.slotSize)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit {
    guard descriptor >= 0 else { return memory.deallocate() }
    munmap(memory, size)
    closeDescriptor(descriptor)
  }

  /// What is noted in a file.
  fileprivate static func entries(in descriptor: Int32) -> [FlightEntry] {
    var bytes = [UInt8](repeating: 0, count: 1024 * slotSize)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return [] }
    return stride(from: 0, to: count - count % slotSize, by: slotSize).compactMap { start in
      bytes.withUnsafeBytes { bytes in
        let slot = UnsafeRawBufferPointer(rebasing: bytes[start..<start + slotSize])
        return slot.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == 1 ? entry(in: slot) : nil
      }
    }
  }

  /// What is noted in a slot in which something is.
  private static func entry(in slot: UnsafeRawBufferPointer) -> FlightEntry {
    FlightEntry(
      sessionID: String(decoding: slot[24..<56], as: UTF8.self),
      client: Int(truncatingIfNeeded: slot.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      number: Int(truncatingIfNeeded: slot.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
  }

  /// The slot of a loop.
  ///
  /// - Parameter index: the loop's, from 0.
  /// - Returns: its part of the memory.
  func slot(_ index: Int) -> Slot {
    precondition((index + 1) * Self.slotSize <= size, "there is no slot \(index)")
    return Slot(recorder: self, memory: memory + index * Self.slotSize)
  }

  /// What one loop notes: at 0 whether something runs, at 8 the client, at 16 the number, at 24 the session, and at 56 how much
  /// has begun.
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
    ///   - client: the renderer, or 0.
    ///   - number: the action's.
    @inline(never)
    func begin(_ sessionID: String, client: Int, number: Int) {
      memory.storeBytes(of: UInt64(client), toByteOffset: 8, as: UInt64.self)
      memory.storeBytes(of: UInt64(number), toByteOffset: 16, as: UInt64.self)
      var text = sessionID
      text.withUTF8 { utf8 in
        guard let start = utf8.baseAddress else { return }
        (memory + 24).copyMemory(from: start, byteCount: min(utf8.count, 32))
      }
      begun.pointee.store(begun.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
      state.pointee.store(1, ordering: .releasing)
    }

    /// Notes that it has returned.
    @inline(never)
    func end() { state.pointee.store(0, ordering: .releasing) }

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
    var entry: FlightEntry? {
      guard state.pointee.load(ordering: .acquiring) == 1 else { return nil }
      return FlightRecorder.entry(in: UnsafeRawBufferPointer(start: memory, count: FlightRecorder.slotSize))
    }
  }
}

/// The files of the processes of a directory, while one of them starts.
private final class FlightFiles {
  private static let prefix = "flight-"
  /// Locked by a process that starts.
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
        start.crashes += FlightRecorder.entries(in: descriptor)
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

  deinit {
    for entry in descriptors { closeDescriptor(entry.descriptor) }
    closeDescriptor(lock)
  }

  /// Empties the files, as what was in them is stored, and makes the first one the process's own.
  ///
  /// - Parameter slotCount: the number of loops.
  /// - Throws: ``SystemError``.
  /// - Returns: the recorder.
  func takeOwn(slotCount: Int) throws(SystemError) -> FlightRecorder {
    let own = descriptors.removeFirst()
    for entry in descriptors { ftruncate(entry.descriptor, 0) }
    let path = "\(directory)/\(Self.prefix)\(own.number)"
    do throws(SystemError) {
      return try FlightRecorder(own.number, besides: start.others, own.descriptor, path, slotCount)
    } catch {
      closeDescriptor(own.descriptor)
      throw error
    }
  }
}
