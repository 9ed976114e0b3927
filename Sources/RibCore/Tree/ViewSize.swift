/// The number of bytes of a tree's view document: measured now and then, and bounded in between.
///
/// Measuring means to write the whole document. Between two measurements the bytes of the patches bound how much longer
/// the view has become. The view is measured again once the patches have eight times the bytes that the view had, so that
/// in the long run measuring costs an eighth of what writing patches does; sooner after a patch that is longer than the view was,
/// as the view has grown then, and where the bound nears the limit.
struct ViewSize {
  /// How many times the view's size the patches have before the view is measured again.
  private static let patience = 8
  /// Bytes of patches below which the view is not measured again.
  private static let leastGrowth = 4096

  /// The size when it was measured last.
  private(set) var measured = 0
  /// The bytes of the patches since: a patch makes the view longer by less than its own length.
  private var growth = 0

  /// The greatest number of bytes that the view can have after another patch.
  func bound(with patch: Int) -> Int { measured + growth + patch }

  /// Whether the view is to be measured after another patch.
  func isStale(with patch: Int) -> Bool {
    // The first patch contains the whole view: to measure it would be to write the view once more.
    guard measured > 0 else { return false }
    return growth + patch > max((patch > measured ? 1 : Self.patience) * measured, Self.leastGrowth)
  }

  /// Adds the bytes of a patch to the bound.
  mutating func add(_ patch: Int) {
    if measured == 0 { measured = patch } else { growth += patch }
  }

  /// Replaces the bound with the measured bytes of the whole document.
  mutating func measure(_ size: Int) {
    measured = size
    growth = 0
  }
}
