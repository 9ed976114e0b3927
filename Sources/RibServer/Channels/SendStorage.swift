/// The buffers that a loop's channels write their messages to, lent to one channel after the other.
///
/// Where no message waits for a commit one buffer serves all channels of the loop. Where messages wait, as many buffers are lent
/// at a time as clients have acted since the last commit: so many small buffers are kept, or few large ones.
struct SendStorage {
  /// How many buffers are kept at most.
  static let countLimit = 64
  /// The capacity that all kept buffers may have together, in bytes.
  static let capacityLimit = Workspace.largestKept

  private var spare: [[UInt8]] = []
  /// The capacity of all kept buffers, in bytes.
  private(set) var capacity = 0

  /// Lends a buffer: the one that was given back last.
  ///
  /// - Returns: an empty array, without memory if none is kept.
  mutating func take() -> [UInt8] {
    guard let storage = spare.popLast() else { return [] }
    capacity -= storage.capacity
    return storage
  }

  /// Takes a buffer back, or drops it if the kept buffers are enough.
  ///
  /// - Parameter storage: an empty array.
  mutating func give(_ storage: [UInt8]) {
    precondition(storage.isEmpty, "what was to be sent to one client is not sent to another one")
    guard storage.capacity > 0, spare.count < Self.countLimit, capacity + storage.capacity <= Self.capacityLimit else {
      return
    }
    capacity += storage.capacity
    spare.append(storage)
  }
}
