import RibCore
import RibTesting
import Testing
import Wire

extension TestSession {
  /// Acts, and checks that a client's view is then what the server would send to a new one.
  ///
  /// - Returns: the patch, a line an operation.
  @discardableResult
  func send(
    _ action: String, to address: NodeAddress = .path(""), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    try act(action, to: address)
    #expect(try snapshot() == view, sourceLocation: sourceLocation)
    return lastPatch.map(\.line)
  }

  /// Sends an action that is to be refused, and checks that the view stays.
  func refusal(
    of action: String, to address: NodeAddress = .path(""), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Refusal {
    let before = view
    let refusal = try #require(throws: Refusal.self, sourceLocation: sourceLocation) { try act(action, to: address) }
    #expect(try snapshot() == before, sourceLocation: sourceLocation)
    return refusal
  }

  /// The ids on a route of a node.
  func ids(on route: String, of node: NodeID = 1) throws -> [Int64] {
    let ids = try #require(view["nodes"]?["\(node)"]?["children"]?[route]?["ids"])
    guard case .array(let elements) = ids else { throw UnexpectedView(value: ids) }
    return try elements.map { element in
      guard case .integer(let id) = element else { throw UnexpectedView(value: element) }
      return id
    }
  }

  /// A route of a node as a client sees it: `{"ids":…,"kind":…}`.
  func route(_ name: String, of node: NodeID = 1) -> String? {
    view["nodes"]?["\(node)"]?["children"]?[name]?.text
  }

  /// The names of a node's routes as a client sees them, in alphabetical order.
  func routeNames(of node: NodeID = 1) -> [String] {
    guard case .object(let children) = view["nodes"]?["\(node)"]?["children"] else { return [] }
    return children.keys.sorted()
  }

  /// Which of some nodes are active; those that are gone are left out.
  func active(_ ids: ClosedRange<NodeID>) -> [NodeID] { ids.filter { tree.isActive(at: .id($0)) == true } }

  /// A property of a node's view state.
  func property(_ name: String, of node: NodeID = 1) -> JSONValue? { view["nodes"]?["\(node)"]?["state"]?[name] }
}

/// A part of a view that is not of the kind that every view has there.
struct UnexpectedView: Error {
  let value: JSONValue
}

extension PatchOperation {
  /// `OP PATH VALUE`, to compare patches at a glance.
  var line: String {
    switch self {
    case .add(let place, let value): "add \(place) \(value.text)"
    case .remove(let place): "remove \(place)"
    case .replace(let place, let value): "replace \(place) \(value.text)"
    case .move(let from, let to): "move \(from) \(to)"
    }
  }
}
