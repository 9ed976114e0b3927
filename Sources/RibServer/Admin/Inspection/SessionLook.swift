import Synchronization

/// An operator's look at a session, from its beginning to its end.
package final class SessionLook: Sendable {
  /// The session's name.
  package let id: String
  /// The operator's name.
  let name: String
  private let hasShownState = Atomic(false)

  /// A look that has seen nothing.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - name: the operator's name.
  package init(at id: String, by name: String) { (self.id, self.name) = (id, name) }

  /// Takes note that the operator is shown the state.
  ///
  /// - Returns: whether this is the first time in this look, so that the audit has no line about it yet.
  func noteState() -> Bool { !hasShownState.exchange(true, ordering: .relaxed) }
}
