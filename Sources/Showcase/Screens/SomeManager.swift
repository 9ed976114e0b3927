import RibCore

/// A count that all sessions share.
actor SomeManager {
  private let changes = Topic<Int>()
  private var count = 0

  /// The count, and every count after it.
  var counts: (now: Int, later: AsyncStream<Int>) { (count, changes.subscribe()) }

  /// Adds to the count, whatever it has become.
  func updateCount(_ change: Int) {
    count &+= change
    changes.publish(count)
  }
}
