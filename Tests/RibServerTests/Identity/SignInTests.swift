import RibCore
import Testing

@testable import RibServer

/// How long what somebody has shown counts.
@Suite struct SignInTests {
  private let time = TestClock()

  private func signIn() -> SignIn { SignIn(Identity("ada"), time.clock, grace: 30) }

  private func secondsToCheck(_ signIn: SignIn) -> Int { signIn.secondsToCheck(every: 60, at: time.clock.monotonic()) }

  /// A check that nobody has answered is still to be made.
  @Test func check_countsOnceItIsAnswered() {
    let signIn = signIn()
    time.advance(59)
    #expect(secondsToCheck(signIn) == 1)
    time.advance(2)
    #expect(secondsToCheck(signIn) == 0 && secondsToCheck(signIn) == 0)
    signIn.didCheck(at: time.clock.monotonic())
    #expect(secondsToCheck(signIn) == 60)
  }

  /// Whoever renews its credential again and again is asked of as often as others.
  @Test func renewal_doesNotPutOffTheCheck() {
    let former = signIn()
    time.advance(50)
    let next = signIn()
    #expect(secondsToCheck(next) == 60)
    next.goOn(from: former)
    #expect(secondsToCheck(next) == 10)
  }
}
