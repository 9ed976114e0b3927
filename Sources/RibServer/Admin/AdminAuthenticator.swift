import RibCore

/// Lets operators in to the apps of an admin server, by the tokens with which they see the metrics.
///
/// An operator's subject is the name of the token, and the roles are what the token is good for: who may act may look as well.
struct AdminAuthenticator: SessionAuthenticator {
  /// The roles of those who may use an app of an admin server.
  static let access = App.Access.roles([AdminTokens.Role.look.rawValue])

  let desk: AdminDesk

  func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
    guard let credential = request.credential else { throw .missing }
    guard let bearer = desk.bearer(of: credential.secret) else { throw .invalid("There is no such admin token.") }
    return Identity(bearer.name, roles: Self.roles(of: bearer.role))
  }

  /// Puts out operators whose tokens are not among the present ones.
  func holds(_ identity: Identity) async -> Bool {
    desk.bearers.contains { $0.name == identity.subject && Self.roles(of: $0.role) == identity.roles }
  }

  private static func roles(of role: AdminTokens.Role) -> Set<String> {
    [AdminTokens.Role.look.rawValue, role.rawValue]
  }
}
