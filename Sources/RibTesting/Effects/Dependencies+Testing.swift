public import RibCore
public import Testing

extension Dependencies {
  /// Dependencies that fail the test when they are used, but for those that it sets.
  ///
  /// - Parameters:
  ///   - clock: the clock, if the riblet needs one.
  ///   - sourceLocation: where the test is.
  /// - Returns: the dependencies.
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
