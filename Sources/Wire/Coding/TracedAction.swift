/// An action whose decoding is watched, so that a recording keeps no secret of it.
///
/// A recording has the members of such an action that its type has read, and null in place of each ``SecretValue``. Members that are
/// misspelt, sent twice or unknown are left out. An action that was not decoded is recorded as null: it is not known where in it a secret
/// is.
package struct TracedAction {
  /// The action, to be decoded by ``ActionDecoder``.
  package let element: JSONElement

  /// Copies an action: its own document may be shared, and has no trace.
  package init(_ action: JSONElement) {
    guard let copy = try? StateCoder.read(action.source) else {
      // It is nested too deeply, and is going to be refused. Without a trace it is recorded as null.
      element = action
      return
    }
    copy.document.trace = DecodingTrace()
    element = copy
  }

  /// The action's JSON as the client has sent it; null in place of one that is nested too deeply for a recording, and was refused.
  package var source: String { element.isTooDeep ? "null" : element.source }

  /// The action's JSON as a recording may have it, after the transaction.
  package var recorded: String {
    guard let trace = element.document.trace, trace.isComplete else { return "null" }
    return trace.text(of: element)
  }
}
