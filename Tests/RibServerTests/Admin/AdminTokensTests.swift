import Testing

@testable import RibServer

@Suite struct AdminTokensTests {
  @Test func fileOfTokens_saysWhoHasWhich() throws {
    let tokens = try AdminTokens(
      """
      # Name, role, and what `printf %s TOKEN | sha256sum` says.
      anna:operate:\(SessionToken.hash("secret of anna"))

      prometheus : look : \(SessionToken.hash("secret of prometheus").uppercased())\r
      """)
    let (anna, prometheus) = (tokens.bearer(of: "secret of anna"), tokens.bearer(of: "secret of prometheus"))
    #expect(anna?.name == "anna" && anna?.role == .operate)
    #expect(prometheus?.name == "prometheus" && prometheus?.role == .look)
    #expect(tokens.bearer(of: "secret of ann") == nil)
    #expect(tokens.bearer(of: "") == nil)
    #expect(tokens.bearer(of: SessionToken.hash("secret of anna")) == nil)
  }

  @Test(arguments: [
    ("", 1, "there is no token"), ("# nothing\n", 1, "there is no token"),
    ("anna:operate", 1, "NAME:ROLE:HASH"), ("#\nanna:admin:\(String(repeating: "0", count: 64))", 2, "ROLE look or"),
    (":look:\(String(repeating: "0", count: 64))", 1, "NAME:ROLE:HASH"), ("anna:look:12", 1, "64 hexadecimal digits"),
    ("anna:look:\(String(repeating: "x", count: 64))", 1, "64 hexadecimal digits"),
    ("a:look:\(String(repeating: "0", count: 64)):b", 1, "NAME:ROLE:HASH"),
  ])
  func fileThatIsNoneOfTokens_saysInWhichLine(_ text: String, _ line: Int, _ reason: String) {
    let error = #expect(throws: AdminTokensError.self) { try AdminTokens(text) }
    #expect(error?.line == line)
    #expect(error?.reason.contains(reason) == true)
  }
}
