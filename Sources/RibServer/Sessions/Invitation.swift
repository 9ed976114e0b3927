package import Wire

/// A token that lets someone join a session, once.
package struct Invitation: Sendable, Equatable, Codable {
  /// How long it is valid, in seconds.
  static let lifetime = 600
  /// How many of a session may wait for someone to come.
  static let limit = 16

  /// The SHA-256 of the token, in hexadecimal digits.
  package let tokenHash: String
  /// What who joins may do.
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
