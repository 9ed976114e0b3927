package import Wire

extension Tree {
  /// Writes the view document as it is now.
  ///
  /// - Parameters:
  ///   - json: where to.
  ///   - renderer: memory to work in.
  /// - Throws: ``/Wire/RecordingError`` if a view state encodes differently than it did in its transaction.
  package func writeView(into json: inout JSONWriter, rendering renderer: ViewRenderer) throws(RecordingError) {
    json.beginObject()
    if let root {
      json.key("root")
      json.integer(root.id)
    }
    json.key("nodes")
    json.beginObject()
    for (id, node) in nodes.sorted(by: { $0.key < $1.key }) where node.isViewable && !json.isFull {
      json.key("\(id)")
      try node.writeShown(into: &json, renderer.encoder)
    }
    json.endObject()
    json.endObject()
  }
}
