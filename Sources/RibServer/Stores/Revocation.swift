package import RibCore

/// The sign-out of a person everywhere: clients that were bound to the person before cannot come back, and credentials that were issued
/// before are not accepted any more.
package struct Revocation: Equatable, Sendable {
  /// The person.
  package let person: PersonID
  /// When the person was signed out, in seconds since 1970, by the clock of the process that did it.
  ///
  /// A credential's time of issue is compared with this.
  package let time: Int
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
    self.person = person
    self.time = time
    self.mark = mark
  }
}

extension Identity {
  /// Whether the credential was issued before a sign-out.
  ///
  /// The time of a sign-out is a whole second: a credential that was issued in the course of that second counts as issued before, and one
  /// without a time of issue as issued later.
  ///
  /// - Parameter second: when the sign-out was, in seconds since 1970.
  /// - Returns: whether it was.
  package func wasIssued(beforeSignOutAt second: Int) -> Bool { secondIssued.map { $0 < Double(second) + 1 } ?? false }
}
