public import Wire

/// Why a client's view no longer corresponds to the server's.
public enum Divergence: Equatable, Sendable, CustomStringConvertible {
  /// A patch came before the first snapshot.
  case noView
  /// A patch has another base than the revision of the client's view.
  case otherBase(Int, revision: Int)
  /// An operation of a patch does not apply to the view.
  case notApplicable(PatchError)
  /// A patch would result in a view whose hash is not the server's.
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
