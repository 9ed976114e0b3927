import Wire

/// A riblet with a view: the node that a client knows.
final class ViewNode<R: Riblet>: Node<R> {
  /// What the client was shown last; nil until the node's first commit.
  private var shown: R.ViewState?
  /// What the client is shown once the transaction is committed.
  private var showing: R.ViewState?

  init(_ riblet: R, id: NodeID, onOutput: @escaping (R.Output, Tree) -> Void) {
    super.init(riblet, id: id, typeName: R.typeName, onOutput: onOutput)
  }

  override func writeAddition(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    let view = riblet.view(state)
    showing = view
    try write(view, into: &json, encoder)
  }

  override func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    guard let shown else { preconditionFailure("a node that was never shown is added whole") }
    let view = riblet.view(state)
    showing = view
    try patch.at("state") { patch throws(RecordingError) in
      try encoder.writeDifference(from: shown, to: view, into: &patch)
    }
    if !routes.isEmpty {
      patch.at("children") { patch in for route in routes { route.writeDifference(into: &patch) } }
    }
  }

  override func writeShown(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    guard let shown else { preconditionFailure("a snapshot is taken between transactions") }
    try write(shown, into: &json, encoder)
  }

  private func write(
    _ view: R.ViewState, into json: inout JSONWriter, _ encoder: ViewEncoder
  ) throws(RecordingError) {
    json.beginObject()
    json.key("type")
    json.string(typeName)
    json.key("state")
    try encoder.write(view, into: &json)
    if !routes.isEmpty {
      json.key("children")
      json.beginObject()
      for route in routes { route.write(into: &json) }
      json.endObject()
    }
    json.endObject()
  }

  override func commit() {
    super.commit()
    if let showing { shown = showing }
    showing = nil
  }

  override func rollBack() {
    super.rollBack()
    showing = nil
  }
}
