public import Wire

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The person or program behind a client, as the server's authenticator has found it.
///
/// Two identities are of the same person if ``issuer`` and ``subject`` are equal; the rest is what is known of that person now.
public struct Identity: Sendable, Equatable, Codable {
  /// The person's identifier at the issuer, which never means another person; 1 to 255 bytes.
  public let subject: String
  /// The authority that has given the person this identifier; "" for the server's own authenticator.
  public let issuer: String
  /// What the person may do, for `App.access` and ``Interactor/authorize(_:by:in:)``.
  public var roles: Set<String>
  /// What else is known of the person.
  ///
  /// The claims are kept with the session: at most 4 KiB of JSON, together with the roles.
  public var claims: [String: JSONValue]
  /// When the credential that was shown last was issued; nil if that is unknown.
  ///
  /// A credential that was issued before its person was signed out is refused; one without this time is not.
  public var issued: Date?
  /// When the identity ends unless a new credential is shown; nil for never.
  public var expires: Date?

  /// An identity.
  ///
  /// - Parameters:
  ///   - subject: the person's identifier at the issuer.
  ///   - issuer: the authority that has given it; "" unless given.
  ///   - roles: what the person may do.
  ///   - claims: what else is known of the person.
  ///   - issued: when the credential was issued.
  ///   - expires: when the identity ends unless a new credential is shown.
  public init(
    _ subject: String, issuer: String = "", roles: Set<String> = [], claims: [String: JSONValue] = [:],
    issued: Date? = nil, expires: Date? = nil
  ) {
    self.subject = subject
    self.issuer = issuer
    self.roles = roles
    self.claims = claims
    self.issued = issued
    self.expires = expires
  }

  /// Whether another identity is of the same person.
  ///
  /// ``subject`` and ``issuer`` are compared byte by byte.
  public func isSamePerson(as other: Identity) -> Bool {
    subject.utf8.elementsEqual(other.subject.utf8) && issuer.utf8.elementsEqual(other.issuer.utf8)
  }

  /// Whether its credential was issued before another one's, if both say when.
  package func isOlder(than other: Identity) -> Bool {
    guard let mine = issued, let theirs = other.issued else { return false }
    return mine < theirs
  }

  /// ``issued`` in seconds since 1970.
  package var secondIssued: Double? { issued?.timeIntervalSince1970 }
  /// ``expires`` in seconds since 1970.
  package var secondExpires: Double? { expires?.timeIntervalSince1970 }

  /// Whether another identity differs in nothing but the times of its credential.
  package func isSame(as other: Identity) -> Bool {
    isSamePerson(as: other) && roles == other.roles && claims == other.claims
  }
}
