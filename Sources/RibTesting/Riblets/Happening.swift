import RibCore

/// Something that a riblet did or that was done to it, and that a test has not asserted yet.
struct Happening<R: Riblet> {
  enum Content {
    case internalAction(R.InternalAction)
    case output(R.Output)
    /// Something else has changed the state: a child, if it was one.
    case change(cause: String, child: NodeID?)
    /// A reducer has refused what came of an effect, which is undone.
    case refusal(effect: String, reason: String)
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
    case .change(let cause, nil): "the state was changed by \(cause)"
    case .change(let cause, .some):
      "the state was changed by \(cause) at \(path ?? "a place that is gone"), whose state is a part of it"
    case .refusal(let effect, let reason): "what came of the effect \(effect) was refused: \(reason)"
    }
  }
}

/// A value as a test writes it: `.loaded("x")`, `.detail(.closed)`.
func caseName(_ value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .enum else { return "\(value)" }
  guard case (let label?, let payload)? = mirror.children.first, Mirror(reflecting: payload).displayStyle == .enum
  else {
    return ".\(value)"
  }
  return ".\(label)(\(caseName(payload)))"
}
