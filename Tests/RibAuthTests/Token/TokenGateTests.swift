import Foundation
import RibServer
import Testing
import Wire

@testable import RibAuth

@Suite struct TokenGateTests {
  private static let payload = #"{"sub":"ada"}"#

  private static func token(_ header: String, _ payload: String = payload, _ signature: String = "c2ln") -> String {
    [encode(Data(header.utf8)), encode(Data(payload.utf8)), signature].joined(separator: ".")
  }

  private func fault(_ token: String, _ change: (inout JWTSettings) -> Void = { _ in }) -> TokenFault? {
    do throws(TokenFault) {
      _ = try TokenGate(.tests(change)).read(token)
      return nil
    } catch {
      return error
    }
  }

  @Test func goodToken_isReadInItsParts() throws {
    let text = Self.token(#"{"alg":"RS256","kid":"k","typ":"JWT"}"#)
    let token = try TokenGate(.tests()).read(text)
    #expect(token.algorithm == .rs256 && token.keyName == "k" && token.signature == Array("sig".utf8))
    #expect(String(decoding: token.signedBytes, as: UTF8.self) == String(text.dropLast(".c2ln".count)))
    #expect(token.payload["sub"]?.string == "ada")
  }

  /// Three parts, no more and no less: five are an encrypted token.
  @Test(arguments: ["", "e30", "e30.e30", "e30.e30.e30.e30", "e30.e30.e30.e30.e30", "....", "e30,e30,e30"])
  func otherNumberOfParts_isRefused(text: String) {
    #expect(fault(text) == .notThreeParts)
  }

  @Test func length_isLimited() {
    let header = #"{"alg":"RS256"}"#
    let rest = Self.token(header, "{}", "").utf8.count
    let room = (TokenGate.byteLimit - rest) / 4 * 4
    #expect(fault(Self.token(header, "{}", String(repeating: "A", count: room))) == nil)
    #expect(fault(Self.token(header, "{}", String(repeating: "A", count: room + 4))) == .tooLong)
    #expect(fault(String(repeating: "é", count: 32_768)) == .tooLong)
  }

  @Test(
    arguments: [
      ("e30=.e30.AA", .notBase64URL(.header)), ("e30. e30.AA", .notBase64URL(.payload)),
      ("e3s.e30.AA", .notJSON(.header, .unexpectedByte)),
      ("eyJhbGciOiJSUzI1NiJ9.e3s.AA", .notJSON(.payload, .unexpectedByte)),
      ("eyJhbGciOiJSUzI1NiJ9.e30.AB", .notBase64URL(.signature)),
      ("eyJhbGciOiJSUzI1NiJ9.e30.AA\n", .notBase64URL(.signature)),
      (".e30.AA", .notJSON(.header, .unexpectedEnd)), ("Bearer e30.e30.AA", .notBase64URL(.header)),
    ] as [(String, TokenFault)])
  func otherForm_isRefused(text: String, expected: TokenFault) {
    #expect(fault(text) == expected)
  }

  @Test(
    arguments: [
      (#"{"alg":"none"}"#, .algorithm), (#"{"alg":"None"}"#, .algorithm), (#"{"alg":"nOnE"}"#, .algorithm),
      (#"{"alg":""}"#, .algorithm), (#"{"alg":null}"#, .algorithm), (#"{"alg":["RS256"]}"#, .algorithm),
      ("{}", .algorithm),
      (#"{"alg":"rs256"}"#, .algorithm), (#"{"alg":"RS256 "}"#, .algorithm), (#"{"alg":"HS256"}"#, .algorithm),
      (#"{"alg":"RS512"}"#, .algorithm), (#"{"alg":"ES256K"}"#, .algorithm), (#"{"alg":"Ed448"}"#, .algorithm),
      (#"{"alg":"RS256","alg":"RS256"}"#, .repeatedMember(.header)),
      (#"{"alg":"RS256","kid":"a","k\u0069d":"b"}"#, .repeatedMember(.header)),
      (#"{"alg":"RS256","x":{"y":1,"y":1}}"#, .repeatedMember(.header)),
      (#"["RS256"]"#, .notAnObject(.header)), (#""RS256""#, .notAnObject(.header)),
      (#"{"alg":"RS256","crit":[]}"#, .critical), (#"{"alg":"RS256","crit":["b64"],"b64":false}"#, .critical),
      (#"{"alg":"RS256","crit":null}"#, .critical),
      (#"{"alg":"RS256","cty":"JWT"}"#, .nested), (#"{"alg":"RS256","cty":"application/jwt"}"#, .nested),
      (#"{"alg":"RS256","typ":"secevent+jwt"}"#, .type), (#"{"alg":"RS256","typ":""}"#, .type),
      (#"{"alg":"RS256","typ":1}"#, .type), (#"{"alg":"RS256","typ":"application/x/jwt"}"#, .type),
      (#"{"alg":"RS256","kid":1}"#, .keyName), (#"{"alg":"RS256","kid":null}"#, .keyName),
      (#"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 257))"}"#, .keyName),
      ("{\"alg\":\"RS256\"", .notJSON(.header, .unexpectedEnd)),
      ("{'alg':'RS256'}", .notJSON(.header, .unexpectedByte)),
      (#"{"alg":"RS256"} x"#, .notJSON(.header, .trailingBytes)),
      (#"{"alg":"RS256","x":\#(String(repeating: "[", count: 100))"#, .notJSON(.header, .tooDeep)),
    ] as [(String, TokenFault)])
  func header_isRefused(header: String, expected: TokenFault) {
    #expect(fault(Self.token(header)) == expected)
  }

  @Test(arguments: [
    #"{"alg":"RS256"}"#, #"{"alg":"ES256","typ":"jwt"}"#, #"{"alg":"EdDSA","typ":"application/JWT"}"#,
    #"{"alg":"Ed25519","typ":"AT+JWT"}"#, #"{"alg":"RS256","typ":"application/at+jwt"}"#,
    // What the token says of its key is not looked at; the signature is checked with ours.
    #"{"alg":"RS256","jwk":{"kty":"oct"},"jku":"http://evil.example","x5u":"file:///","x5c":["AA"],"x5t":1}"#,
    #"{"alg":"RS256","kid":"../../etc/passwd"}"#, #"{"alg":"RS256","kid":"' OR 1=1 --"}"#,
    #"{"alg":"RS256","cty":"text/plain","b64":false}"#,
    #"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 256))"}"#, " {\n\"alg\" : \"RS256\"}\t",
  ])
  func header_isAccepted(header: String) {
    #expect(fault(Self.token(header)) == nil)
  }

  @Test(
    arguments: [
      ("[]", .notAnObject(.payload)), (#""sub""#, .notAnObject(.payload)), ("", .notJSON(.payload, .unexpectedEnd)),
      (#"{"sub":"a","sub":"b"}"#, .repeatedMember(.payload)), (#"{"a":[{"b":1,"b":1}]}"#, .repeatedMember(.payload)),
      (
        #"{"a":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))}"#,
        .notJSON(.payload, .tooDeep)
      ),
      (#"{"a":"\ud800"}"#, .notJSON(.payload, .loneSurrogate)),
      ("{\"a\":\"\(String(repeating: "\u{301}", count: 31))\"}", .unsafeText(.payload)),
      ("{\"\(String(repeating: "\u{1F1E6}", count: 129))\":1}", .unsafeText(.payload)),
      ("{\"a\":\"\u{1}\"}", .notJSON(.payload, .controlCharacter)),
      ("{\"a\":01}", .notJSON(.payload, .invalidNumber)),
    ] as [(String, TokenFault)])
  func payload_isRefused(payload: String, expected: TokenFault) {
    let reasonOnly = fault(Self.token(#"{"alg":"RS256"}"#, payload))
    #expect(reasonOnly == expected)
  }

  /// É as one character, and as two, are two names: their bytes differ.
  @Test func names_areComparedAsBytes() {
    #expect(fault(Self.token(#"{"alg":"RS256"}"#, "{\"\u{C9}\":1,\"E\u{301}\":2}")) == nil)
    let marks = String(repeating: "\u{301}", count: 31)
    #expect(fault(Self.token(#"{"alg":"RS256","a":"\#(marks)"}"#)) == .unsafeText(.header))
  }

  @Test func payload_thatIsNotUTF8_isRefused() {
    let bytes = Data([0x7B, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xC3, 0x22, 0x7D])
    #expect(fault("eyJhbGciOiJSUzI1NiJ9.\(encode(bytes)).AA") == .notJSON(.payload, .invalidUTF8))
  }

  @Test func types_canBeNarrowed() {
    let access = { (settings: inout JWTSettings) in settings.types = ["application/AT+jwt"] }
    #expect(fault(Self.token(#"{"alg":"RS256","typ":"at+jwt"}"#), access) == nil)
    #expect(fault(Self.token(#"{"alg":"RS256","typ":"JWT"}"#), access) == .type)
    #expect(fault(Self.token(#"{"alg":"RS256"}"#), access) == .type)
  }

  /// What a client is told is a sentence, and has nothing of what it has sent.
  @Test func refusal_doesNotRepeatTheToken() throws {
    for token in [Self.token(#"{"alg":"Secret256"}"#), Self.token(#"{"alg":"RS256","kid":5,"Secret":1}"#), "Secret"] {
      guard case .invalid(let sentence)? = fault(token)?.error else {
        Issue.record("\(token) is accepted")
        continue
      }
      #expect(sentence.hasSuffix(".") && !sentence.contains("Secret"))
    }
    #expect(TokenFault.expired.error == .expired)
  }

  /// A token of ours that is cut or changed in one byte is refused or read, and never ends the process.
  @Test func anyChange_isSurvived() {
    let token = Array(Self.token(#"{"alg":"RS256","kid":"k","typ":"JWT"}"#).utf8)
    for index in token.indices {
      _ = fault(String(decoding: token[..<index], as: UTF8.self))
      for byte in [0, UInt8(ascii: "."), UInt8(ascii: "A"), UInt8(ascii: "_"), 0xFF] {
        var changed = token
        changed[index] = byte
        _ = fault(String(decoding: changed, as: UTF8.self))
      }
    }
  }
}
