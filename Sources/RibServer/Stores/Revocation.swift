package import RibCore

/// The sign-out of a person everywhere: clients that were bound to the person before cannot come back, and credentials that were issued
/// before are not accepted any more.
package struct Revocation: Equatable, Sendable {
  /// The person.
  package let person: PersonID
  /// When the person was signed out, in seconds since 1970, by the clock of the process that did it.
  package let time: Int
  /// The same in milliseconds: a credential that was issued then or before is refused.
  ///
  /// Where only the second is known, this is its last millisecond.
  package let millisecond: Int
  /// The clients of the person are out whose binding has this mark or a lower one (``ClientProfile/Person/since``).
  ///
  /// A mark counts seconds too, but a clock that is set back does not lower it: a sign-out's mark in the store is higher than that of the
  /// person's sign-out before, and not lower than that of any of the person's clients.
  package let mark: Int

  /// The sign-out of a person.
  ///
  /// - Parameters:
  ///   - person: the person.
  ///   - time: when, in seconds since 1970.
  ///   - mark: the highest mark of a client that is out.
  package init(_ person: PersonID, at time: Int, mark: Int) {
    // A damaged store may have any number.
    self.init(person, millisecond: min(max(time, 0), Int.max / 1000 - 1) * 1000 + 999, mark: mark)
  }

  /// The sign-out of a person.
  ///
  /// - Parameters:
  ///   - person: the person.
  ///   - millisecond: when, in milliseconds since 1970.
  ///   - mark: the highest mark of a client that is out.
  package init(_ person: PersonID, millisecond: Int, mark: Int) {
    self.person = person
    time = millisecond / 1000
    self.millisecond = millisecond
    self.mark = mark
  }
}

extension Identity {
  /// Whether the credential was issued before a sign-out.
  ///
  /// An issuer that gives whole seconds says of a credential that it was issued when its second began: one from the second of the sign-out
  /// counts as issued before. One without a time of issue counts as issued later.
  ///
  /// - Parameter revocation: the sign-out of the same person.
  /// - Returns: whether it was.
  package func wasIssued(before revocation: Revocation) -> Bool { wasIssued(notAfter: revocation.millisecond) }

  /// Whether the credential was issued at a time or before.
  ///
  /// - Parameter millisecond: in milliseconds since 1970, as precisely as a store keeps ``issued``.
  /// - Returns: whether it was.
  func wasIssued(notAfter millisecond: Int) -> Bool {
    secondIssued.map { ($0 * 1000).rounded() <= Double(millisecond) } ?? false
  }
}
