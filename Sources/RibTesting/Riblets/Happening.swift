import RibCore

/// Something that a riblet did or that was done to it, and that a test has not asserted yet.
struct Happening<R: Riblet> {
  enum Content {
    case internalAction(R.InternalAction)
    case output(R.Output)
    /// A child said something.
    case childOutput(Any)
    /// Something else has changed the state: a child, if it was one.
    case change(cause: String, child: NodeID?)
  }

  let content: Content
  /// The state afterwards.
  let state: R.State
  /// Where the child is, if a child has changed the state.
  var path: String?

  /// For a failure's text.
  var description: String {
    switch content {
    case .internalAction(let action): "the internal action \(caseName(action)) was received"
    case .output(let output): "the output \(caseName(output)) was sent to the parent"
    case .childOutput(let output): "the child's output \(caseName(output)) was received"
    case .change(let cause, nil): "the state was changed by \(cause)"
    case .change(let cause, .some):
      "the state was changed by \(cause) at \(path ?? "a place that is gone"), whose state is a part of it"
    }
  }
}

/// A value as a test writes it: `.loaded("x")`.
func caseName(_ value: Any) -> String {
  let text = "\(value)"
  return Mirror(reflecting: value).displayStyle == .enum ? ".\(text)" : text
}
