package import Wire
import WireHash

/// A client's copy of the view document.
///
/// The copy changes by whole snapshots and whole patches only: a patch that does not fit leaves the view as it
/// was, and all patches after it are ignored until the next snapshot.
///
/// | state       | a patch that fits | another patch       | ``ask()``  | a snapshot  | ``comeBack()`` |
/// |-------------|-------------------|---------------------|------------|-------------|----------------|
/// | `following` | is applied        | `diverged`          | no need    | `following` | `following`    |
/// | `diverged`  | changes nothing   | changes nothing     | `awaiting` | `following` | `following`    |
/// | `awaiting`  | changes nothing   | changes nothing     | no need    | `following` | `following`    |
package struct ViewMirror {
  private enum State {
    /// The view is the server's view of ``revision``, as far as the client knows; or there is no view yet.
    case following
    /// A patch did not fit, and the server does not know it yet.
    case diverged
    /// The server was asked for a snapshot, which has not come yet.
    case awaiting
  }

  /// The outcome of a patch.
  package enum Outcome: Equatable {
    /// The patch was applied; if it came with a hash, the view has that hash.
    case applied(isVerified: Bool)
    /// The patch did not fit.
    case diverged(Divergence)
    /// The patch was ignored, as a snapshot has to come first.
    case ignored
  }

  private var state = State.following
  /// The document; nil before the first snapshot.
  package private(set) var view: JSONValue?
  /// The epoch of the view: the life of the server's tree that it belongs to.
  package private(set) var epoch = ""
  /// The view's revision; 0 if the view is of another epoch, or did not fit a patch.
  package private(set) var revision = 0

  /// A mirror without a view.
  package init() {}

  /// Replaces the view by a snapshot.
  ///
  /// - Parameters:
  ///   - view: the view document.
  ///   - epoch: the life of the server's tree.
  ///   - revision: the revision of the view.
  package mutating func show(_ view: JSONValue, epoch: String, revision: Int) {
    self.view = view
    self.epoch = epoch
    self.revision = revision
    state = .following
  }

  /// Applies a patch, all of it or nothing.
  ///
  /// - Parameters:
  ///   - operations: what the patch changes.
  ///   - base: the revision to which the patch applies.
  ///   - revision: the revision after the patch.
  ///   - hash: the hash of the view after the patch; nil if the server has sent none.
  /// - Returns: the outcome.
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

  /// Whether the server has to be asked for a snapshot, and was not asked yet.
  var isToAsk: Bool {
    if case .diverged = state { true } else { false }
  }

  /// Notes that the server was asked for a snapshot.
  mutating func ask() {
    if case .diverged = state { state = .awaiting }
  }

  /// Prepares for another connection: a view that did not fit a patch has no revision there, and is replaced by a
  /// snapshot.
  package mutating func comeBack() {
    if case .following = state, view != nil { return }
    state = .following
    revision = 0
  }

  /// Notes the epoch of a connection.
  ///
  /// A view of another epoch is shown until a new one comes, and has no revision.
  package mutating func join(epoch: String) {
    if !haveSameUTF8(epoch, self.epoch) { revision = 0 }
    if view == nil { self.epoch = epoch }
  }
}
