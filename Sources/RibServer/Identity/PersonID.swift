package import RibCore

/// A person, as its issuer names it.
///
/// Names are compared byte by byte, as the issuer and the store do.
package struct PersonID: Hashable, Sendable {
  /// The person's name among those of the issuer.
  package let subject: String
  /// The authority that has named it; "" for the server's own authenticator.
  package let issuer: String

  /// A person.
  package init(_ subject: String, issuer: String) {
    self.subject = subject
    self.issuer = issuer
  }

  package static func == (ours: PersonID, theirs: PersonID) -> Bool {
    ours.subject.utf8.elementsEqual(theirs.subject.utf8) && ours.issuer.utf8.elementsEqual(theirs.issuer.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in subject.utf8 { hasher.combine(byte) }
    hasher.combine(0 as UInt8)
    for byte in issuer.utf8 { hasher.combine(byte) }
  }

  /// The person of an identity.
  package init(_ identity: Identity) { self.init(identity.subject, issuer: identity.issuer) }
}
