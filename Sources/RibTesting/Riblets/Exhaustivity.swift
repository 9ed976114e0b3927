/// How much of what happens a ``TestRiblet`` wants to see asserted.
public enum Exhaustivity: Equatable, Sendable {
  /// All: what is not asserted is a failure.
  case on
  /// What is asserted has to be true; the rest is passed over.
  ///
  /// The closure that says what changes begins with the state as it *is* afterwards: it need only set what matters, to what
  /// it has to be.
  case off(reporting: Bool)

  /// As much as is asserted, without a word about the rest.
  public static var off: Exhaustivity { .off(reporting: false) }
}
