import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Counts the processes that have begun in a state directory, in a file that all of them have mapped: each learns of another one
/// at once, also while the disk takes nothing.
///
/// `@unchecked Sendable`: the memory is one atomic word.
package final class StartCounter: @unchecked Sendable {
  private static var size: Int { MemoryLayout<UInt64>.size }

  private let memory: UnsafeMutableRawPointer

  /// Maps a file, which begins with the count.
  ///
  /// - Parameters:
  ///   - descriptor: the file, open for reading and writing; it may be closed afterwards.
  ///   - path: its name, for an error.
  /// - Throws: ``SystemError``.
  init(_ descriptor: Int32, _ path: String) throws(SystemError) {
    var count: UInt64 = 0
    // Written, not only made longer: on a full disk a hole in the file would kill the process that writes to its memory.
    let known = pread(descriptor, &count, Self.size, 0)
    guard known >= 0 else { throw .last("read \(path)") }
    if known < Self.size {
      count = 0
      guard pwrite(descriptor, &count, Self.size, 0) == Self.size else { throw .last("write \(path)") }
    }
    let map = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let map, map != MAP_FAILED else { throw .last("map \(path)") }
    memory = map
  }

  deinit { munmap(memory, Self.size) }

  // An Atomic has its value's layout (SE-0410), and so the file that of a plain word.
  private var word: UnsafeMutablePointer<Atomic<UInt64>> { memory.assumingMemoryBound(to: Atomic<UInt64>.self) }

  /// How many processes have begun.
  var count: UInt64 { word.pointee.load(ordering: .acquiring) }

  /// Counts a process that has begun: the store has it.
  func increment() { word.pointee.add(1, ordering: .acquiringAndReleasing) }
}
