import RibCore
import Wire

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
    return Self.identity(of: bearer)
  }

  /// Puts out operators whose tokens are not among the present ones.
  func holds(_ identity: Identity) async -> Bool {
    desk.bearers.contains { Self.identity(of: $0) == identity }
  }

  /// The operator who has a token: with another token it is another identity, so that one whose token was replaced is put out.
  private static func identity(of bearer: AdminTokens.Bearer) -> Identity {
    Identity(
      bearer.name, roles: [AdminTokens.Role.look.rawValue, bearer.role.rawValue],
      claims: ["token": .string(bearer.mark)])
  }
}
