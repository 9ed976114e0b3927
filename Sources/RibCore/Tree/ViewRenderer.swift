package import Wire

/// The memory in which transactions write their patches, kept from one transaction to the next.
///
/// One renderer serves all trees of a loop in turn.
package final class ViewRenderer {
  /// The operations of the last transaction.
  package internal(set) var patch = PatchWriter()
  let encoder = ViewEncoder()
  /// What the transaction writes for the store.
  var states = StateDrafts()
  /// A view that is written only to be measured.
  var measured = JSONWriter()

  /// A renderer without memory of any view.
  package init() { measured.limit = Tree.viewLimit }

  /// Frees the memory that measuring a large view has taken.
  func forgetLargeView() {
    guard measured.count > 1 << 16 else { return }
    measured = JSONWriter()
    measured.limit = Tree.viewLimit
  }
}
