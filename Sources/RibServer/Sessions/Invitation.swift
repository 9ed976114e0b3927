package import Wire

/// A token that lets another client join a session, once.
package struct Invitation: Sendable, Equatable, Codable {
  /// How long it is valid, in seconds.
  static let lifetime = 600
  /// How many unused invitations a session may have.
  static let limit = 16

  /// The SHA-256 of the token, in hexadecimal digits.
  package let tokenHash: String
  /// What the client that joins may do.
  package let scope: ShareScope
  /// When it is void, in seconds since 1970.
  package let expires: Int

  /// An invitation.
  package init(tokenHash: String, scope: ShareScope, expires: Int) {
    self.tokenHash = tokenHash
    self.scope = scope
    self.expires = expires
  }
}
