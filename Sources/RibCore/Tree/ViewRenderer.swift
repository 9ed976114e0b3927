package import Wire

/// Where transactions write their patches: the memory for it, kept from one to the next.
///
/// One renderer serves all trees of a loop, one after the other.
package final class ViewRenderer {
  /// The operations of the last transaction.
  package internal(set) var patch = PatchWriter()
  let encoder = ViewEncoder()
  /// What the transaction has for the store.
  var states = StateDrafts()
  /// A view that is only measured.
  var measured = JSONWriter()

  /// A renderer without memory of any view.
  package init() { measured.limit = Tree.viewLimit }

  /// Gives back the memory of a large view that was measured.
  func forgetLargeView() {
    guard measured.count > 1 << 16 else { return }
    measured = JSONWriter()
    measured.limit = Tree.viewLimit
  }
}
