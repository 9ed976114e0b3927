import RibCore
import Synchronization

/// The persons who were signed out everywhere, and when, as far as this process knows.
///
/// | what is compared             | with              | by                                                                              |
/// |------------------------------|-------------------|---------------------------------------------------------------------------------|
/// | a credential's time of issue | a sign-out's time | the system clock, which may be set: refused if it is not of a later millisecond; with PostgreSQL, second |
/// | a binding's mark             | a sign-out's mark | marks, which follow the order of sign-outs and bindings though a clock is set   |
final class Revocations: Sendable {
  private struct SignOut {
    /// Milliseconds since 1970.
    var millisecond: Int
    var mark: Int
  }

  private struct Content {
    /// Each person's last sign-out.
    var signOuts: [PersonID: SignOut] = [:]
    /// The highest mark that this process has given to a binding, or has noted of a sign-out.
    var latest = Int.min
    /// The number of sign-outs from which old ones are forgotten: the search goes through all of them.
    var sizeToForget = Revocations.smallestSizeToForget
  }

  /// Below this number of sign-outs none is forgotten.
  static let smallestSizeToForget = 1024

  private let content = Mutex(Content())
  private let isUsed = Atomic(false)

  /// The revocation of a person who is signed out now.
  ///
  /// - Parameters:
  ///   - person: the person.
  ///   - now: milliseconds since 1970.
  /// - Returns: the revocation, with a mark that is not lower than that of any client which this process has bound.
  func makeRevocation(of person: PersonID, at now: Int) -> Revocation {
    Revocation(person, millisecond: now, mark: content.withLock { max(now / 1000, $0.latest) })
  }

  /// Takes note that a person was signed out.
  ///
  /// - Parameter revocation: the revocation; one that is earlier than the known one of the person changes nothing.
  func note(_ revocation: Revocation) {
    let (person, time, mark) = (revocation.person, revocation.millisecond, revocation.mark)
    content.withLock { content in
      let known = content.signOuts[person]
      content.signOuts[person] = SignOut(
        millisecond: max(known?.millisecond ?? time, time), mark: max(known?.mark ?? mark, mark))
      content.latest = max(content.latest, mark)
    }
    isUsed.store(true, ordering: .releasing)
  }

  /// Forgets sign-outs that no credential and no session is older than.
  ///
  /// - Parameter time: how old those are at most, in seconds since 1970.
  func forget(before time: Int) {
    content.withLock { content in
      guard content.signOuts.count >= content.sizeToForget else { return }
      content.signOuts = content.signOuts.filter { $0.value.millisecond >= time * 1000 }
      content.sizeToForget = max(Self.smallestSizeToForget, 2 * content.signOuts.count)
    }
  }

  /// Whether no person was signed out.
  var isEmpty: Bool { !isUsed.load(ordering: .acquiring) }

  /// The mark of a binding to a person who signs in now.
  ///
  /// - Parameters:
  ///   - identity: the person.
  ///   - now: seconds since 1970.
  /// - Returns: a mark higher than that of the person's last sign-out.
  func markOfSignIn(_ identity: Identity, at now: Int) -> Int {
    content.withLock { content in
      let mark = content.signOuts[PersonID(identity)].map { max(now, $0.mark + 1) } ?? now
      content.latest = max(content.latest, mark)
      return mark
    }
  }

  /// Whether a credential is refused, as it was issued before its person was signed out; one without a time of issue never is.
  func refuses(_ identity: Identity) -> Bool {
    guard !isEmpty else { return false }
    return content.withLock {
      $0.signOuts[PersonID(identity)].map { identity.wasIssued(notAfter: $0.millisecond) } ?? false
    }
  }

  /// Whether a person was signed out at some time.
  func concerns(_ identity: Identity) -> Bool {
    !isEmpty && content.withLock { $0.signOuts[PersonID(identity)] } != nil
  }

  /// Whether a client's person was signed out after the client was bound to it, or after its last credential was issued.
  func covers(_ person: ClientProfile.Person) -> Bool {
    guard !isEmpty else { return false }
    let isBefore = content.withLock { $0.signOuts[PersonID(person.identity)].map { person.since <= $0.mark } ?? false }
    return isBefore || refuses(person.identity)
  }
}
