import Crypto
import Foundation
import Testing
import Wire
import WireHTTP

@testable import RibDevIssuer

struct TokenSignerTests {
  private let signer = TokenSigner(key: IssuerKey(), issuer: "http://127.0.0.1:9000")

  private func bytes(_ text: some StringProtocol) throws -> [UInt8] {
    var standard = String(text.map { ["-": "+", "_": "/"][$0] ?? $0 })
    while !standard.utf8.count.isMultiple(of: 4) { standard += "=" }
    return try #require(Base64.decode(standard))
  }

  private func text(_ value: JSONValue?) throws -> String {
    guard case .string(let text)? = value else { throw Missing() }
    return text
  }

  private struct Missing: Error {}

  @Test func token_saysWhatIsAskedFor() throws {
    let request = TokenRequest(subject: "ada", roles: ["boss", "writer"], seconds: 60)
    let token = try signer.token(for: request, at: Date(timeIntervalSince1970: 1_000.5))
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    #expect(
      try String(decoding: bytes(parts[0]), as: UTF8.self)
        == #"{"alg":"ES256","kid":"\#(signer.key.name)","typ":"JWT"}"#)
    #expect(
      try String(decoding: bytes(parts[1]), as: UTF8.self) == """
        {"aud":"ribd","exp":1060.5,"iat":1000.5,"iss":"http://127.0.0.1:9000","roles":["boss","writer"],"sub":"ada"}
        """)
  }

  @Test func signature_isThatOfTheKeyInTheSet() throws {
    let token = try signer.token(for: TokenRequest(subject: "ada"), at: Date())
    let parts = token.split(separator: ".")
    guard case .array(let keys)? = signer.keySet["keys"], keys.count == 1 else { throw Missing() }
    #expect(keys[0]["kid"] == .string(signer.key.name))
    let point = try bytes(text(keys[0]["x"])) + bytes(text(keys[0]["y"]))
    let key = try P256.Signing.PublicKey(rawRepresentation: point)
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes(parts[2]))
    #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    #expect(!key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[0])".utf8)))
  }

  @Test func configuration_leadsToTheKeys() {
    #expect(
      signer.configuration.text
        == #"{"issuer":"http://127.0.0.1:9000","jwks_uri":"http://127.0.0.1:9000/keys.json"}"#)
  }
}
