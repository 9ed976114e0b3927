/// How many bytes the view document of a tree has.
///
/// Finding out means writing the whole document, so it is done only now and then: the patches since the last time say how much
/// longer the view can have become. It is done again once they have more bytes than the view had, and so costs as much as a
/// patch does in the long run.
struct ViewSize {
  /// Bytes of patches below which the view is not measured again.
  private static let leastGrowth = 4096

  /// The size when it was measured last.
  private(set) var measured = 0
  /// The bytes of the patches since: a patch makes the view longer by less than its own length.
  private var growth = 0

  /// As many bytes as the view can have after another patch.
  ///
  /// - Parameter patch: the patch's bytes.
  /// - Returns: at least the view's bytes then.
  func bound(with patch: Int) -> Int { measured + growth + patch }

  /// Whether it is time to measure the view after another patch.
  ///
  /// - Parameter patch: the patch's bytes.
  /// - Returns: true if the patches have more bytes than the view had.
  func isStale(with patch: Int) -> Bool { growth + patch > max(measured, Self.leastGrowth) }

  /// Takes note of a patch.
  ///
  /// - Parameter patch: its bytes.
  mutating func add(_ patch: Int) {
    // The first one is all of the view.
    if measured == 0 { measured = patch } else { growth += patch }
  }

  /// Takes note of the exact size.
  ///
  /// - Parameter size: the whole document's bytes.
  mutating func measure(_ size: Int) {
    measured = size
    growth = 0
  }
}
