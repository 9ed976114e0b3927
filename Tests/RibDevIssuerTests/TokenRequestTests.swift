import Testing

@testable import RibDevIssuer

struct TokenRequestTests {
  @Test func request_withinItsBounds_hasNoFault() {
    let longest = String(repeating: "a", count: 255)
    for request in [
      TokenRequest(subject: "a"), TokenRequest(subject: longest, seconds: 1),
      TokenRequest(subject: "ada", roles: ["boss"], seconds: 86_400),
      TokenRequest(subject: "ada", roles: Array(repeating: String(repeating: "b", count: 64), count: 32)),
    ] { #expect(request.fault == nil) }
  }

  @Test(arguments: [
    (TokenRequest(subject: ""), "A subject has 1 to 255 bytes."),
    (TokenRequest(subject: String(repeating: "é", count: 128)), "A subject has 1 to 255 bytes."),
    (TokenRequest(subject: "ada", seconds: 0), "A token is good for 1 to 86400 seconds."),
    (TokenRequest(subject: "ada", seconds: 86_401), "A token is good for 1 to 86400 seconds."),
    (TokenRequest(subject: "ada", roles: [""]), "A role has 1 to 64 bytes."),
    (TokenRequest(subject: "ada", roles: [String(repeating: "b", count: 65)]), "A role has 1 to 64 bytes."),
    (TokenRequest(subject: "ada", roles: Array(repeating: "b", count: 33)), "A token has at most 32 roles."),
  ])
  func request_outOfItsBounds_saysWhich(request: TokenRequest, fault: String) { #expect(request.fault == fault) }
}
