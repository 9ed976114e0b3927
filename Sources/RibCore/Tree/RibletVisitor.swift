/// Is shown which riblets there are, as trees attach them.
package protocol RibletVisitor: AnyObject, Sendable {
  /// Whether a node of this class is to be visited; a tree asks for each node that it attaches.
  ///
  /// - Parameter node: the node's class, one for each type of riblet.
  /// - Returns: true for a class that was not seen before.
  func wants(_ node: ObjectIdentifier) -> Bool

  /// Is shown a riblet that has a view.
  ///
  /// - Parameters:
  ///   - type: the riblet's type.
  ///   - name: the name by which clients know the riblet.
  ///   - state: its first view state.
  func visit<R: Riblet>(_ type: R.Type, named name: String, showing state: R.ViewState)

  /// Is shown a riblet, with a view or without.
  ///
  /// - Parameters:
  ///   - riblet: the riblet as its parent's route has built it.
  ///   - isEmbedded: whether the riblet's state is a part of its parent's, and saved with that.
  func visit(_ riblet: any Riblet, isEmbedded: Bool)
}

extension RibletVisitor {
  /// Does nothing.
  package func visit(_ riblet: any Riblet, isEmbedded: Bool) {}
}
