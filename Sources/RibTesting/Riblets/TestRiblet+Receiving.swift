import CustomDump
public import RibCore
public import Testing

/// The assertions of what follows: internal actions, changes by children, outputs and refusals.
extension TestRiblet {
  /// Asserts that the next thing to happen is an internal action, and what its reducer changes.
  ///
  /// - Parameters:
  ///   - action: the expected action.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before the action. Nil if the state is to stay the same.
  public func receive(
    _ action: R.InternalAction, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) where R.InternalAction: Equatable {
    take(Origin(text: "receive(\(caseName(action)))", location: sourceLocation), change) { content in
      if case .internalAction(let actual) = content {
        actual == action ? .match : .other(diff(action, actual, format: .proportional))
      } else {
        .other(nil)
      }
    }
  }

  /// Asserts that the next thing to happen is an internal action that matches, and what its reducer changes: for
  /// actions that are not `Equatable`.
  ///
  /// - Parameters:
  ///   - matches: returns true for an expected action.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before the action. Nil if the state is to stay the same.
  public func receive(
    where matches: (R.InternalAction) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: ((inout R.State) -> Void)? = nil
  ) {
    take(Origin(text: "receive(where:)", location: sourceLocation), change) { content in
      if case .internalAction(let actual) = content, matches(actual) { .match } else { .other(nil) }
    }
  }

  /// Asserts that the next thing to happen is a refusal of what an effect has sent, or of what was to follow the
  /// effect's end.
  ///
  /// The refused transaction is rolled back; on a server, only the log has the reason.
  public func receive(refused reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    take(Origin(text: "receive(refused: \(String(reflecting: reason)))", location: sourceLocation), nil) { content in
      guard case .refusal(_, let actual) = content else { return .other(nil) }
      return actual == reason ? .match : .other(diff(reason, actual, format: .proportional))
    }
  }

  /// Asserts that the state was changed next by something other than the riblet's actions: by an embedded child, or by
  /// what the test has done through the ``session``.
  ///
  /// - Parameters:
  ///   - path: the child's place: `lamp`, `rows[1]`; nil if it does not matter what has changed the state.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - change: makes the expected change; it gets the state before.
  public func receiveChange(
    at path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping (inout R.State) -> Void
  ) {
    let text = path.map { "receiveChange(at: \"\($0)\")" } ?? "receiveChange"
    // In a path the index of the first child may be left out.
    let whole = path.map { path in
      path.split(separator: "/").map { $0.hasSuffix("]") ? "\($0)" : "\($0)[0]" }.joined(separator: "/")
    }
    takeHappening(Origin(text: text, location: sourceLocation), change) { happening in
      guard case .change = happening.content, whole == nil || happening.path == whole else { return .other(nil) }
      return .match
    }
  }

  /// Asserts that the next thing to happen is an output to the parent.
  public func expectOutput(
    _ output: R.Output, sourceLocation: SourceLocation = #_sourceLocation
  ) where R.Output: Equatable {
    take(Origin(text: "expectOutput(\(caseName(output)))", location: sourceLocation), nil) { content in
      guard case .output(let actual) = content else { return .other(nil) }
      return actual == output ? .match : .other(diff(output, actual, format: .proportional))
    }
  }

  /// Asserts that the next thing to happen is an output that matches: for outputs that are not `Equatable`.
  public func expectOutput(where matches: (R.Output) -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    take(Origin(text: "expectOutput(where:)", location: sourceLocation), nil) { content in
      if case .output(let actual) = content, matches(actual) { .match } else { .other(nil) }
    }
  }

  private enum Comparison {
    case match
    case other(String?)
  }

  private func take(
    _ origin: Origin, _ change: ((inout R.State) -> Void)?, _ compare: (Happening<R>.Content) -> Comparison
  ) {
    takeHappening(origin, change) { compare($0.content) }
  }

  private func takeHappening(
    _ origin: Origin, _ change: ((inout R.State) -> Void)?, _ compare: (Happening<R>) -> Comparison
  ) {
    session.settle()
    session.origin = origin
    var skipped: [Happening<R>] = []
    var firstDifference: String?
    while !happenings.isEmpty {
      let next = happenings.removeFirst()
      switch compare(next) {
      case .match:
        report(skipped, at: origin.location)
        check(change, before: skipped.last?.state ?? state, after: next.state, origin)
        state = next.state
        return
      case .other(let difference):
        if exhaustivity == .on {
          // Put back, for the assertion that is meant for it.
          happenings.insert(next, at: 0)
          return fail(
            Failure.another(origin.text, next.description, difference: difference), at: origin.location)
        }
        firstDifference = firstDifference ?? difference
        skipped.append(next)
      }
    }
    happenings = skipped
    if !skipped.isEmpty {
      let text = Failure.others(origin.text, skipped.map(\.description), difference: firstDifference)
      return fail(text, at: origin.location)
    }
    fail(Failure.nothing(origin.text, flightTexts), at: origin.location)
  }
}
