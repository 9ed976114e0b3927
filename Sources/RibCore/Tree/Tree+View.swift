package import Wire

extension Tree {
  /// Writes the view document as it is now.
  ///
  /// - Throws: ``/Wire/CaptureError`` if a view state encodes differently than it did in its transaction.
  package func writeView(into json: inout JSONWriter, rendering renderer: ViewRenderer) throws(CaptureError) {
    try writeView(into: &json) { node, json throws(CaptureError) in
      try node.writeShown(into: &json, renderer.encoder)
    }
  }

  /// Writes the view document as it would be if every riblet were asked for its view once more: the same, unless a change of its
  /// state was missed, or its view depends on something else.
  package func writeViewAskedAgain(
    into json: inout JSONWriter, rendering renderer: ViewRenderer
  ) throws(CaptureError) {
    try writeView(into: &json) { node, json throws(CaptureError) in
      try node.writeAskedAgain(into: &json, renderer.encoder)
    }
  }

  private func writeView(
    into json: inout JSONWriter, _ write: (AnyNode, inout JSONWriter) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    json.beginObject()
    if let root {
      json.key("root")
      json.integer(root.id)
    }
    json.key("nodes")
    json.beginObject()
    for (id, node) in nodes.sorted(by: { $0.key < $1.key }) where node.isViewable && !json.isFull {
      json.key("\(id)")
      try write(node, &json)
    }
    json.endObject()
    json.endObject()
  }
}
