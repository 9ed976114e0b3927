import Wire

/// A view document as lines of text: one line a node and a property, children indented below their route.
enum ViewText {
  /// The text, without a line end after the last line.
  static func render(_ view: JSONValue) -> String {
    guard case .integer(let root)? = view["root"] else { return view.text.visible }
    var lines: [String] = []
    var shown: Set<Int64> = []
    append(node: root, of: view, indent: "", to: &lines, &shown)
    return lines.map(\.visible).joined(separator: "\n")
  }

  private static func append(
    node id: Int64, of view: JSONValue, indent: String, to lines: inout [String], _ shown: inout Set<Int64>
  ) {
    // A server that is not ours may send a circle.
    guard shown.insert(id).inserted else { return lines.append("\(indent)#\(id) again") }
    guard let node = view["nodes"]?["\(id)"] else { return lines.append("\(indent)#\(id) is missing") }
    let type = if case .string(let name)? = node["type"] { name } else { "?" }
    lines.append("\(indent)\(type) #\(id)")
    if case .object(let state)? = node["state"] {
      for (key, value) in state.sorted(by: { ExactString($0.key) < ExactString($1.key) }) {
        lines.append("\(indent)  \(key): \(value.text)")
      }
    } else if let state = node["state"] {
      lines.append("\(indent)  \(state.text)")
    }
    guard case .object(let routes)? = node["children"] else { return }
    for (route, content) in routes.sorted(by: { ExactString($0.key) < ExactString($1.key) }) {
      guard case .array(let ids)? = content["ids"], !ids.isEmpty else { continue }
      lines.append("\(indent)  \(route):")
      for case .integer(let child) in ids { append(node: child, of: view, indent: indent + "    ", to: &lines, &shown) }
    }
  }
}
