import Testing

@testable import RibServer

@Suite struct SessionTokenTests {
  @Test func tokens_areRandomAnd256BitsLong() {
    let tokens = (0..<200).map { _ in Environment.system.makeToken() }
    #expect(Set(tokens).count == 200)
    for token in tokens {
      #expect(token.utf8.count == 64 && token.allSatisfy { "0123456789abcdef".contains($0) })
    }
    // Each digit of each place is drawn: a place that is always the same would be missing bits.
    for place in 0..<64 { #expect(Set(tokens.map { Array($0)[place] }).count > 8, "\(place)") }
  }

  /// From FIPS 180-4's examples.
  @Test(arguments: [
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ])
  func hash_isSHA256(text: String, hash: String) {
    #expect(SessionToken.hash(text) == hash && SessionToken.hash(Array(text.utf8)) == hash)
  }

  @Test func onlyTheTokenItself_matches() {
    let token = Environment.system.makeToken()
    let hash = SessionToken.hash(token)
    #expect(SessionToken.matches(token, hash))
    let changed = String(token.dropLast()) + (token.last == "0" ? "1" : "0")
    for other in [changed, token.uppercased() + " ", "", hash, String(token.dropLast()), token + "0"] {
      #expect(!SessionToken.matches(other, hash), "\(other)")
    }
    // Who has said goodbye has no hash: nothing matches it.
    #expect(!SessionToken.matches("", "") && !SessionToken.matches(token, ""))
    #expect(!SessionToken.matches(token, String(hash.dropLast())))
  }

  @Test(arguments: [1, 2, 4]) func randomHex_isOfTheLengthThatIsAskedFor(words: Int) {
    for _ in 0..<100 { #expect(Environment.system.randomHex(words: words).utf8.count == 16 * words) }
  }
}
