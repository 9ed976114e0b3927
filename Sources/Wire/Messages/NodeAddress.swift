/// The node that an action is for.
public enum NodeAddress: Hashable, Sendable, CustomStringConvertible {
  /// The node with this id; ids are never reused within a session.
  case id(Int)
  /// A path such as `tabs[0]/detail`: the node that is there when the action arrives. The empty path is the root.
  case path(String)

  /// Whether both are one id, or one path, byte by byte.
  public static func == (ours: NodeAddress, theirs: NodeAddress) -> Bool {
    switch (ours, theirs) {
    case (.id(let ours), .id(let theirs)): ours == theirs
    case (.path(let ours), .path(let theirs)): haveSameUTF8(ours, theirs)
    default: false
    }
  }

  /// Hashes the id, or the path's bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .id(let id): hasher.combine(id)
    case .path(let path): hasher.combine(ExactString(path))
    }
  }

  /// The address as people read it.
  public var description: String {
    switch self {
    case .id(let id): "node \(id)"
    case .path(let path): path.isEmpty ? "the root" : "\"\(path)\""
    }
  }
}
