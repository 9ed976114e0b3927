import RibCore
import RibTesting
import Testing

struct IdempotencyKeyTests {
  @Test(arguments: ["-1-1", "5d1cf1a0-3-12", "a-b--18446744073709551615-0"])
  func key_isMadeFromItsDescription(description: String) throws {
    let key = try #require(IdempotencyKey(description))
    #expect(key.description == description)
    #expect(IdempotencyKey(description) == key)
    #expect(IdempotencyKey(description + "0") != key)
  }

  @Test func key_ofAnEffect_isFoundByItsText() throws {
    let session = try TestSession(Conductor(whenActive: [.run("a"), .run("b")]))
    let keys = session.pendingEffects.map(\.key)
    #expect(keys.count == 2)
    #expect(keys.compactMap { IdempotencyKey("\($0)") } == keys)
  }

  @Test(arguments: [
    "", "test", "test-1", "test-1-", "test--1", "test-1-1 ", "test-01-1", "test-+1-1", "test-1--1", "a-b-c",
  ])
  func textThatNoKeyHas_isNone(text: String) { #expect(IdempotencyKey(text) == nil) }
}
