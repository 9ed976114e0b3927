/// The node that an action is for.
public enum NodeAddress: Hashable, Sendable, CustomStringConvertible {
  /// The node with this id; ids are never reused within a session.
  case id(Int)
  /// A path such as `tabs[0]/detail`: the node that is there when the action arrives. The empty path is the root.
  case path(String)

  /// The address as people read it.
  public var description: String {
    switch self {
    case .id(let id): "node \(id)"
    case .path(let path): path.isEmpty ? "the root" : "\"\(path)\""
    }
  }
}
