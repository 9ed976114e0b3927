package import Wire

/// A token that lets another client join a session, once.
package struct Invitation: Sendable, Equatable, Codable {
  /// How long it is valid, in seconds.
  static let lifetime = 600
  /// How many unused invitations a session may have: of those that clients with one scope have made.
  static let limit = 16

  /// The SHA-256 of the token, in hexadecimal digits.
  package let tokenHash: String
  /// What the client that joins may do.
  package let scope: ShareScope
  /// When it is void, in seconds since 1970.
  package let expires: Int
  /// What the client may do that has made it.
  package let inviter: ShareScope

  /// An invitation.
  package init(tokenHash: String, scope: ShareScope, expires: Int, inviter: ShareScope = .act) {
    self.tokenHash = tokenHash
    self.scope = scope
    self.expires = expires
    self.inviter = inviter
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    tokenHash = try container.decode(String.self, forKey: .tokenHash)
    scope = try container.decode(ShareScope.self, forKey: .scope)
    expires = try container.decode(Int.self, forKey: .expires)
    // One of an earlier version does not say.
    inviter = try container.decodeIfPresent(ShareScope.self, forKey: .inviter) ?? .act
  }
}
