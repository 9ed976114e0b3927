import RibClient
import Testing

@Suite struct RenewalTests {
  private var generator = SystemRandomNumberGenerator()

  /// After four fifths of the time, give or take a twentieth, and never within ten seconds.
  @Test(arguments: [
    (1_000_000, 750_000...850_000), (20_000, 15_000...17_000), (12_000, 10_000...10_200), (0, 10_000...10_000),
  ])
  mutating func renewal_isDueBeforeTheIdentityEnds(expires: Int, due: ClosedRange<Int>) throws {
    var renewal = Renewal()
    renewal.note(expires: expires, at: 500, using: &generator)
    #expect(due.contains(try #require(renewal.wait(at: 500))))
    #expect(renewal.wait(at: 500 + due.upperBound) == 0)
  }

  @Test mutating func identityWithoutEnd_isNotRenewed() {
    var renewal = Renewal()
    #expect(renewal.wait(at: 0) == nil)
    renewal.note(expires: 50_000, at: 0, using: &generator)
    renewal.note(expires: nil, at: 0, using: &generator)
    #expect(renewal.wait(at: 0) == nil)
  }

  @Test mutating func renewal_isTriedAgain_ifThereIsNoCredential() {
    var renewal = Renewal()
    renewal.note(expires: 50_000, at: 0, using: &generator)
    renewal.began()
    #expect(renewal.wait(at: 50_000) == nil, "The server's answer says when.")
    renewal.failed(at: 50_000)
    #expect(renewal.wait(at: 50_000) == Renewal.pause)
    #expect(renewal.wait(at: 60_000) == 0)
  }
}
