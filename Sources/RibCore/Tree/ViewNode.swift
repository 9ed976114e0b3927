import Wire

/// A riblet with a view: the node that a client knows.
final class ViewNode<R: Riblet>: Node<R> {
  /// What the client was shown last; nil until the node's first commit.
  private var shown: R.ViewState?
  /// What the client is shown once the transaction is committed.
  private var showing: R.ViewState?
  private var shownChildren = ShownChildren()
  /// Nil while they are the same.
  private var showingChildren: ShownChildren?
  private var childrenHaveChanged = false

  override var isViewable: Bool { true }

  override func childrenDidChange() { childrenHaveChanged = true }

  override func writeAddition(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    guard let state = cell.state else { preconditionFailure("a node without a state is detached") }
    let view = riblet.view(state)
    let children = ShownChildren(of: self)
    showing = view
    showingChildren = children
    try write(view, children, into: &json, encoder)
  }

  override func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    guard let shown, let state = cell.state else { preconditionFailure("a node that was never shown is added whole") }
    let view = riblet.view(state)
    showing = view
    try patch.at("state") { patch throws(RecordingError) in
      try encoder.writeDifference(from: shown, to: view, into: &patch)
    }
    guard childrenHaveChanged else { return }
    let children = ShownChildren(of: self)
    showingChildren = children
    try patch.at("children") { patch throws(RecordingError) in
      try encoder.writeDifference(from: shownChildren, to: children, into: &patch)
    }
  }

  override func writeShown(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    guard let shown else { preconditionFailure("a snapshot is taken between transactions") }
    try write(shown, shownChildren, into: &json, encoder)
  }

  private func write(
    _ view: R.ViewState, _ children: ShownChildren, into json: inout JSONWriter, _ encoder: ViewEncoder
  ) throws(RecordingError) {
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

  override func commit() {
    super.commit()
    if let showing { shown = showing }
    if let showingChildren { shownChildren = showingChildren }
    forget()
  }

  override func rollBack() {
    super.rollBack()
    forget()
  }

  private func forget() {
    showing = nil
    showingChildren = nil
    childrenHaveChanged = false
  }
}
