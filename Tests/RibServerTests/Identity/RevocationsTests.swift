import Foundation
import RibCore
import Testing

@testable import RibServer

/// Who is out by the times that a sign-out has.
@Suite struct RevocationsTests {
  private static func person(since mark: Int, issued: Double?) -> ClientProfile.Person {
    let issued = issued.map { Date(timeIntervalSince1970: $0) }
    return ClientProfile.Person(Identity("ada", issued: issued), since: mark)
  }

  /// The mark and the credential both count.
  ///
  /// A client that was bound on one thread while its person was signed out on another has a mark beyond the sign-out's.
  /// A sign-out has a whole second: a credential of that second may be from before.
  @Test(arguments: [
    (100, nil, true), (101, nil, false), (101, 100, true), (101, 100.9, true), (101, 101, false), (100, 200, true),
  ])
  func client_isOut_byItsMark_andByItsCredential(mark: Int, issued: Double?, isOut: Bool) {
    let revocations = Revocations()
    #expect(!revocations.covers(Self.person(since: mark, issued: issued)))
    revocations.note(Revocation(PersonID("ada", issuer: ""), at: 100, mark: 100))
    #expect(revocations.covers(Self.person(since: mark, issued: issued)) == isOut)
  }

  /// Within a second the fraction counts.
  ///
  /// An issuer that gives whole seconds has issued at the beginning of one.
  @Test(arguments: [
    (100, true), (100.2, true), (100.3, true), (100.301, false), (100.9, false), (101, false), (99.9, true),
  ])
  func credentialOfTheSameSecond_isJudgedByItsFraction(issued: Double, isRefused: Bool) {
    let revocations = Revocations()
    let revocation = revocations.makeRevocation(of: PersonID("ada", issuer: ""), at: 100_300)
    #expect(revocation.time == 100 && revocation.mark == 100)
    revocations.note(revocation)
    // An older one changes nothing.
    revocations.note(Revocation(PersonID("ada", issuer: ""), at: 99, mark: 99))
    #expect(revocations.refuses(Identity("ada", issued: Date(timeIntervalSince1970: issued))) == isRefused)
    #expect(revocations.covers(Self.person(since: 101, issued: issued)) == isRefused)
  }

  @Test func markOfSignIn_isBeyondThatOfTheSignOut_whateverTheClockSays() {
    let revocations = Revocations()
    revocations.note(Revocation(PersonID("ada", issuer: ""), at: 100, mark: 100))
    #expect(revocations.markOfSignIn(Identity("ada"), at: 50) == 101)
    #expect(revocations.markOfSignIn(Identity("eve"), at: 50) == 50)
    #expect(revocations.makeRevocation(of: PersonID("eve", issuer: ""), at: 60).mark == 101)
  }

  /// As many as a month has are kept; those that nobody can come back from are not, in a server that runs for years.
  @Test func oldSignOuts_areForgotten_onceThereAreMany() {
    let revocations = Revocations()
    func note(_ number: Int, at time: Int) {
      revocations.note(Revocation(PersonID("\(number)", issuer: ""), at: time, mark: time))
    }
    func isKnown(_ number: Int) -> Bool { revocations.concerns(Identity("\(number)")) }
    let size = Revocations.smallestSizeToForget
    for number in 1..<size { note(number, at: number) }
    revocations.forget(before: size - 1)
    #expect(isKnown(1), "As few as that take no room.")
    note(size, at: size)
    revocations.forget(before: size - 1)
    #expect(!isKnown(1) && !isKnown(size - 2))
    #expect(isKnown(size - 1) && isKnown(size))
  }
}
