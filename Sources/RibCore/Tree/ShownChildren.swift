/// The children of a node as clients see them: by route, and through riblets that have no view.
///
/// A child of a viewless child appears under the path that leads to it, `route/inner` or `route[2]/inner`, which is the
/// same as in an address.
struct ShownChildren: Encodable {
  private struct Route: Encodable {
    let kind: String
    /// Null for a child that is not attached yet, or has no view.
    let ids: [NodeID?]
    let selected: Int?
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private var routes: [(path: String, route: Route)] = []

  init() {}

  /// The children of a viewable node.
  init(of node: AnyNode) { add(node, below: "") }

  private mutating func add(_ node: AnyNode, below prefix: String) {
    for attachments in node.attachments {
      let path = prefix + attachments.name
      let ids = attachments.children.map { child in child.flatMap { $0.isViewable ? $0.id : nil } }
      let hasView = ids.contains { $0 != nil } || attachments.children.allSatisfy { $0 == nil }
      // The selection is shown even if no child has a view.
      if hasView || attachments.selected != nil {
        routes.append((path, Route(kind: attachments.kind, ids: ids, selected: attachments.selected)))
      }
      for (index, child) in attachments.children.enumerated() {
        guard let child, !child.isViewable else { continue }
        add(child, below: attachments.children.count > 1 ? "\(path)[\(index)]/" : "\(path)/")
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for (path, route) in routes { try container.encode(route, forKey: Key(stringValue: path)) }
  }
}
