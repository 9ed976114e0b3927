public import RibCore
public import Testing

extension Dependencies {
  /// Dependencies of which each use fails the test, except for those that the test sets.
  ///
  /// - Parameters:
  ///   - clock: the clock, which `advance(by:)` moves on; nil if the riblet uses none.
  ///   - sourceLocation: the line of the failure, filled in by the compiler.
  /// - Returns: dependencies of which the test sets those that its riblet needs.
  public static func unimplemented(
    clock: ManualClock? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Dependencies {
    var dependencies = unimplemented { missing in
      Issue.record(Comment(rawValue: missing.description), sourceLocation: sourceLocation)
    }
    if let clock { dependencies.clock = clock }
    return dependencies
  }
}
