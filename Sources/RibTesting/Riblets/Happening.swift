import RibCore

/// Something that a riblet has done, or that was done to it, and that the test has not asserted yet.
struct Happening<R: Riblet> {
  enum Content {
    case internalAction(R.InternalAction)
    case output(R.Output)
    /// Something other than the riblet's own reducers for actions has changed the state; the child that did, if it was
    /// one.
    case change(cause: String, child: NodeID?)
    /// A reducer has refused what an effect sent, or what was to follow the effect's end: that was rolled back.
    case refusal(effect: String, reason: String)
  }

  let content: Content
  /// The riblet's state afterwards.
  let state: R.State
  /// The path of the child that has changed the state; nil if it was no child.
  var path: String?

  /// What happened, for a failure's text.
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

/// A value as a test writes it, such as `.loaded("x")` or `.detail(.closed)`.
func caseName(_ value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .enum else { return "\(value)" }
  guard case (let label?, let payload)? = mirror.children.first, Mirror(reflecting: payload).displayStyle == .enum
  else {
    return ".\(value)"
  }
  return ".\(label)(\(caseName(payload)))"
}
