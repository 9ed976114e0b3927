/// Memory for what is to be sent, lent to one channel after the other.
///
/// Where nothing waits for a commit one buffer serves all of a loop's channels. Where messages do, as many are lent at a time as
/// clients have acted within a commit: so many small ones are kept, or few large ones.
struct SendStorage {
  /// How many buffers are kept at most.
  static let countLimit = 64
  /// What they may have together, in bytes.
  static let capacityLimit = Workspace.largestKept

  private var spare: [[UInt8]] = []
  /// What is kept, in bytes.
  private(set) var capacity = 0

  /// Lends a buffer: the one that was given back last.
  ///
  /// - Returns: an empty array, without memory if none is kept.
  mutating func take() -> [UInt8] {
    guard let storage = spare.popLast() else { return [] }
    capacity -= storage.capacity
    return storage
  }

  /// Takes a buffer back, or drops it if enough is kept.
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
