import RibCore
import Testing

@testable import RibServer

@Suite struct AdminAuthenticatorTests {
  private static func tokens(_ name: String, _ role: String, _ token: String) throws -> AdminTokens {
    try AdminTokens("\(name):\(role):\(SessionToken.hash(token))")
  }

  /// A token that others may know is replaced: whoever has come in by it is out, though the name has a token as before.
  @Test(arguments: [("anna", "operate", "new"), ("anna", "look", "old"), ("bert", "operate", "old")])
  func operatorWhoseTokenIsReplaced_isOut(_ name: String, _ role: String, _ token: String) async throws {
    let desk = AdminDesk(Server(apps: []), try Self.tokens("anna", "operate", "old"))
    let authenticator = AdminAuthenticator(desk: desk)
    let request = AuthenticationRequest(.begin(app: "inspector"), credential: .bearer("old"))
    let found = try await authenticator.authenticate(request)
    let anna = try #require(found)
    #expect(anna.subject == "anna" && anna.roles == ["look", "operate"])
    #expect(await authenticator.holds(anna))
    desk.replace(try Self.tokens(name, role, token))
    #expect(await !authenticator.holds(anna))
  }
}
