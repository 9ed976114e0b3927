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
}
