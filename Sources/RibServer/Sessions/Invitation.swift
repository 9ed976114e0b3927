import Wire

/// A token that lets someone join a session, once.
struct Invitation: Sendable, Equatable, Codable {
  /// How long it is valid, in seconds.
  static let lifetime = 600
  /// How many of a session may wait for someone to come.
  static let limit = 16

  /// The SHA-256 of the token, in hexadecimal digits.
  let tokenHash: String
  /// What who joins may do.
  let scope: ShareScope
  /// When it is void, in seconds since 1970.
  let expires: Int
}
