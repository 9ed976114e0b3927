public import RibCore
public import Testing

/// The comparison of states and views with those that the test expects.
extension TestRiblet {
  /// Asserts the view state that clients have of the riblet.
  public func expectView(
    _ expected: R.ViewState, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    session.settle()
    let actual = riblet.view(current)
    guard actual != expected else { return }
    fail(
      Failure.difference("The view is another than the test expects.", expected: expected, actual: actual),
      at: sourceLocation
    )
  }

  func check(_ change: ((inout R.State) -> Void)?, before: R.State, after: R.State, _ origin: Origin) {
    guard exhaustivity == .on else { return checkWhatIsSaid(change, before: before, after: after, origin) }
    var expected = before
    change?(&expected)
    if change == nil, !log.areEqual(before, after) {
      fail(Failure.unexpectedChange(origin.text, before: before, after: after), at: origin.location)
    } else if !log.areEqual(expected, after) {
      fail(Failure.wrongState(origin.text, expected: expected, actual: after), at: origin.location)
    } else if change != nil, log.areEqual(before, after) {
      fail(Failure.noChange(origin.text), at: origin.location)
    }
  }

  /// Asserts that the expected change leaves the state as it is; other changes are reported if that is wanted.
  private func checkWhatIsSaid(
    _ change: ((inout R.State) -> Void)?, before: R.State, after: R.State, _ origin: Origin
  ) {
    var expected = after
    change?(&expected)
    guard log.areEqual(expected, after) else {
      return fail(Failure.wrongState(origin.text, expected: expected, actual: after), at: origin.location)
    }
    guard exhaustivity == .off(reporting: true) else { return }
    var asserted = before
    change?(&asserted)
    if !log.areEqual(asserted, after) {
      report(Failure.skippedChange(origin.text, asserted: asserted, actual: after), at: origin.location)
    }
  }
}
