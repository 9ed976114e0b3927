/// How much of what happens has to be asserted in a test with a ``TestRiblet``.
public enum Exhaustivity: Equatable, Sendable {
  /// Everything: what is not asserted is a failure.
  case on
  /// Only what is asserted has to be true; the rest is passed over and, if `reporting` is true, reported as a warning.
  ///
  /// The closure that makes the expected change begins with the state as it *is* afterwards, so it need only set the
  /// properties that matter to the values that they have to have.
  case off(reporting: Bool)

  /// Only what is asserted has to be true, and nothing is reported about the rest.
  public static var off: Exhaustivity { .off(reporting: false) }
}
