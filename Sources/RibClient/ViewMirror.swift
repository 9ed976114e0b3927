package import Wire
import WireHash

/// A client's copy of the view document.
///
/// It shows what the server has sent as a whole, and never half a patch: one that does not fit leaves the view as it was,
/// and so do all after it until the next snapshot.
///
/// | state       | a patch that fits | another patch       | ``ask()``  | a snapshot  | ``comeBack()`` |
/// |-------------|-------------------|---------------------|------------|-------------|----------------|
/// | `following` | is applied        | `diverged`          | no need    | `following` | `following`    |
/// | `diverged`  | changes nothing   | changes nothing     | `awaiting` | `following` | `following`    |
/// | `awaiting`  | changes nothing   | changes nothing     | no need    | `following` | `following`    |
package struct ViewMirror {
  private enum State {
    /// The view is the server's of ``revision``, as far as the client knows; or none was sent yet.
    case following
    /// It is not, and the server does not know.
    case diverged
    /// The server was asked for a snapshot.
    case awaiting
  }

  /// What became of a patch.
  package enum Outcome: Equatable {
    /// It was applied, and had the hash that the server said, if it said one.
    case applied(isVerified: Bool)
    /// It did not fit.
    case diverged(Divergence)
    /// A snapshot has to come first.
    case ignored
  }

  private var state = State.following
  /// The document; nil before the first snapshot.
  package private(set) var view: JSONValue?
  /// The life of the server's tree that the view is of.
  package private(set) var epoch = ""
  /// The view's revision; 0 if it is of another life of the tree, or not known to be of any.
  package private(set) var revision = 0

  /// A copy of nothing yet.
  package init() {}

  /// Takes a snapshot.
  ///
  /// - Parameters:
  ///   - view: the document.
  ///   - epoch: the life of the tree.
  ///   - revision: of the view.
  package mutating func show(_ view: JSONValue, epoch: String, revision: Int) {
    self.view = view
    self.epoch = epoch
    self.revision = revision
    state = .following
  }

  /// Takes a patch.
  ///
  /// - Parameters:
  ///   - operations: what it changes.
  ///   - base: the revision that it is for.
  ///   - revision: the one that it makes.
  ///   - hash: of the view after it; nil if the server does not say.
  /// - Returns: what became of it.
  package mutating func apply(_ operations: [PatchOperation], base: Int, revision: Int, hash: String?) -> Outcome {
    guard case .following = state else { return .ignored }
    guard var next = view else { return diverge(.noView) }
    guard base == self.revision else { return diverge(.otherBase(base, revision: self.revision)) }
    do throws(PatchError) {
      try next.apply(operations)
    } catch {
      return diverge(.notApplicable(error))
    }
    if let hash, hash != next.canonicalHash { return diverge(.otherHash(revision: revision)) }
    view = next
    self.revision = revision
    return .applied(isVerified: hash != nil)
  }

  private mutating func diverge(_ divergence: Divergence) -> Outcome {
    state = .diverged
    return .diverged(divergence)
  }

  /// Whether the server is to be asked for a snapshot, and was not yet.
  var isToAsk: Bool {
    if case .diverged = state { true } else { false }
  }

  /// Notes that the server is asked for a snapshot.
  mutating func ask() {
    if case .diverged = state { state = .awaiting }
  }

  /// Prepares for another connection: a view that is not the server's counts for nothing there, and comes anew.
  package mutating func comeBack() {
    if case .following = state, view != nil { return }
    state = .following
    revision = 0
  }

  /// Notes which life of the tree a connection is to.
  ///
  /// A view of another life is shown until the new one comes, and counts for nothing.
  package mutating func join(epoch: String) {
    if epoch != self.epoch { revision = 0 }
    if view == nil { self.epoch = epoch }
  }
}
