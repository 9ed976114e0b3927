public import Wire

/// Why a client's view is not the server's any more.
public enum Divergence: Equatable, Sendable, CustomStringConvertible {
  /// A patch came before the first snapshot.
  case noView
  /// A patch was for another revision than the client has.
  case otherBase(Int, revision: Int)
  /// An operation of a patch has no place in the view.
  case notApplicable(PatchError)
  /// A patch would have made a view with another hash than the server's.
  case otherHash(revision: Int)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .noView: "A patch before the first snapshot."
    case .otherBase(let base, let revision): "A patch for revision \(base), the view has \(revision)."
    case .notApplicable(let error): "A patch does not apply: \(error)."
    case .otherHash(let revision): "The view of revision \(revision) has another hash than the server's."
    }
  }
}
