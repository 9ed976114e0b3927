import Foundation
import RibCore
import RibTesting
import Testing

@testable import RibDevIssuer

struct IssuerTests {
  private let signer = TokenSigner(key: IssuerKey(), issuer: "http://127.0.0.1:9000")

  private func issuer() -> TestRiblet<Issuer> {
    var dependencies = Dependencies.unimplemented()
    dependencies.date = { Date(timeIntervalSince1970: 1_000) }
    // The signature is another one each time.
    return TestRiblet(Issuer(signer: signer, dependencies: dependencies), exhaustivity: .off)
  }

  @Test func token_isShownOnceItIsSigned() throws {
    let test = issuer()
    test.send(.sign(subject: "ada", roles: ["boss"], seconds: 60))
    #expect(test.state.subject == "ada" && test.state.seconds == 60)
    let token = try #require(test.state.token)
    let expected = try signer.token(
      for: TokenRequest(subject: "ada", roles: ["boss"], seconds: 60), at: Date(timeIntervalSince1970: 1_000))
    #expect(token.split(separator: ".").dropLast() == expected.split(separator: ".").dropLast())
    test.expectView(.init(token: token, subject: "ada", seconds: 60))
  }

  @Test func rolesAndSeconds_mayBeLeftOut() {
    let test = issuer()
    test.send(.sign(subject: "ada", roles: nil, seconds: nil))
    #expect(test.state.seconds == 300)
  }

  @Test func requestOutOfItsBounds_isRefused() {
    let test = issuer()
    test.send(.sign(subject: "", roles: nil, seconds: nil), refused: "A subject has 1 to 255 bytes.")
    test.send(.sign(subject: "ada", roles: nil, seconds: 0), refused: "A token is good for 1 to 86400 seconds.")
  }
}
