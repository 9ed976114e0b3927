/// A type that refuses zeros and empty texts when it is decoded, and says what it takes instead.
///
///     extension Email: SampleProviding {
///       static var sample: Email { Email("ada@example.org") }
///     }
///
/// Whoever finds out the shape of a type decodes it from zeros and empty texts. Where a member refuses these, nothing would be known of
/// the members behind it.
public protocol SampleProviding {
  /// Any value of the type.
  static var sample: Self { get }
}
