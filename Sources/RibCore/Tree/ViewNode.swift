import Wire

/// A riblet with a view: the node that a client knows.
final class ViewNode<R: Riblet>: Node<R> {
  // No check for exclusivity: see AnyNode, which says why that is right.
  /// The view state that clients have: the one of the last commit.
  @exclusivity(unchecked) private var shown: R.ViewState
  /// The view state that clients have once the current transaction is committed.
  @exclusivity(unchecked) private var showing: R.ViewState
  private var shownChildren = ShownChildren()
  /// The children that clients see once the current transaction is committed; nil while they are unchanged.
  private var showingChildren: ShownChildren?
  private var childrenHaveChanged = false

  override init(
    _ riblet: R, id: NodeID, typeName: String, parent: AnyNode?, cell: Cell<R.State>,
    _ link: ParentLink<R.Output, R.Props>
  ) {
    guard let state = cell.state else { preconditionFailure("\(typeName) is attached without a state") }
    shown = riblet.view(state)
    showing = shown
    super.init(riblet, id: id, typeName: typeName, parent: parent, cell: cell, link)
  }

  override var isViewable: Bool { true }

  override func accept(_ visitor: any RibletVisitor) {
    super.accept(visitor)
    visitor.visit(R.self, named: typeName, showing: showing)
  }

  override func childrenDidChange() { childrenHaveChanged = true }

  override func writeAddition(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    try view()
    let children = ShownChildren(of: self)
    showingChildren = children
    try write(showing, children, into: &json, encoder)
  }

  override func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    try view()
    try patch.at("state") { patch throws(CaptureError) in
      try encoder.writeDifference(from: shown, to: showing, into: &patch)
    }
    guard childrenHaveChanged else { return }
    let children = ShownChildren(of: self)
    showingChildren = children
    try patch.at("children") { patch throws(CaptureError) in
      try encoder.writeDifference(from: shownChildren, to: children, into: &patch)
    }
  }

  override func writeShown(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    // Between transactions these are what clients have.
    try write(showing, showingChildren ?? shownChildren, into: &json, encoder)
  }

  override func writeAskedAgain(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    guard let state = cell.state else { return try writeShown(into: &json, encoder) }
    try write(riblet.view(state), ShownChildren(of: self), into: &json, encoder)
  }

  private func write(
    _ view: R.ViewState, _ children: ShownChildren, into json: inout JSONWriter, _ encoder: ViewEncoder
  ) throws(CaptureError) {
    json.beginObject()
    json.key("type")
    json.string(typeName)
    json.key("state")
    try encoder.write(view, into: &json)
    if !attachments.isEmpty {
      json.key("children")
      try encoder.write(children, into: &json)
    }
    json.endObject()
  }

  /// Makes the view state anew.
  private func view() throws(CaptureError) {
    guard cell.readSettled({ showing = riblet.view($0) }) else {
      throw CaptureError("its state is gone from its parent's, and it was not detached")
    }
  }

  override func commit() {
    super.commit()
    shown = showing
    if let showingChildren { shownChildren = showingChildren }
    forget()
  }

  override func rollBack() {
    super.rollBack()
    showing = shown
    forget()
  }

  private func forget() {
    showingChildren = nil
    childrenHaveChanged = false
  }
}
