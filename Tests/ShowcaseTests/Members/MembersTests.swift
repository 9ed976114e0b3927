import RibCore
import RibTesting
import Synchronization
import Testing
import Wire

@testable import Showcase

struct MembersTests {
  private let board = ClusterValue(name: "board", Board())
  private let writer = Identity("ada", roles: ["writer", "clerk"])
  private let boss = Identity("bob", roles: ["boss"])
  private let guest = Identity("eve")

  /// The riblet of a person, once it has heard who that is and what is on the board.
  private func members(
    _ identity: CurrentIdentity, signOut: @escaping @Sendable (Identity) async throws -> Void = { _ in }
  ) -> TestRiblet<Members> {
    let context = SessionContext(id: "s", identity: identity, signOut: signOut)
    let test = TestRiblet(Members(session: context, board: board))
    let present = board.value
    test.receive(.identityChanged(identity.value))
    test.receive(.boardChanged(present), present.notices.isEmpty ? nil : { $0.notices = present.notices })
    return test
  }

  private func client(_ identity: Identity) -> ActingClient { ActingClient(id: 1, scope: .act, identity) }

  @Test func view_saysWhoIsSignedIn_andWhatThatPersonMayDo() {
    for (identity, roles, canPost, canErase) in [
      (writer, ["clerk", "writer"], true, false), (boss, ["boss"], true, true), (guest, [], false, false),
    ] {
      let test = members(CurrentIdentity(identity))
      test.expectView(
        .init(
          subject: identity.subject, roles: roles, notices: [], canPost: canPost, canErase: canErase, problem: nil))
      test.skipEffectsInFlight()
    }
  }

  @Test func action_thatComesBeforeAllElse_isAllowed() {
    let context = SessionContext(id: "s", identity: CurrentIdentity(writer))
    let test = TestRiblet(Members(session: context, board: board), exhaustivity: .off)
    test.send(.postTapped(text: "Hello"), as: client(writer))
    #expect(board.value.notices.map(\.author) == ["ada"])
  }

  /// For Swift both subjects are equal; for an issuer they are two persons.
  @Test func personWhoseSubjectOnlyLooksTheSame_isSomebodyElse() {
    let (eve, other) = (Identity("\u{E9}ve", roles: ["boss"]), Identity("e\u{301}ve", roles: ["boss"]))
    #expect(eve.subject == other.subject)
    let test = members(CurrentIdentity(eve))
    test.sendForbidden(.postTapped(text: "Hello"), as: client(other))
    test.sendForbidden(.signOutEverywhereTapped, as: client(other))
    test.skipEffectsInFlight()
  }

  @Test func view_followsTheIdentity() {
    let identity = CurrentIdentity(guest)
    let test = members(identity)
    let promoted = Identity("eve", roles: ["boss"])
    identity.update(to: promoted)
    test.receive(.identityChanged(promoted)) { $0.roles = ["boss"] }
    test.expectView(.init(subject: "eve", roles: ["boss"], notices: [], canPost: true, canErase: true, problem: nil))
    test.skipEffectsInFlight()
  }

  @Test func notice_isSeenByAll() {
    let (ada, eve) = (members(CurrentIdentity(writer)), members(CurrentIdentity(guest)))
    ada.send(.postTapped(text: "Hello"), as: client(writer))
    for test in [ada, eve] {
      test.receive(.boardChanged(board.value)) { $0.notices = [Notice(id: 1, author: "ada", text: "Hello")] }
      test.skipEffectsInFlight()
    }
  }

  @Test func noticeThatIsEmptyOrTooLong_isRefused() {
    let test = members(CurrentIdentity(writer))
    test.send(.postTapped(text: " \n"), as: client(writer), refused: "There is nothing to post.")
    let longest = String(repeating: "a", count: Members.longestNotice)
    test.send(
      .postTapped(text: longest + "a"), as: client(writer), refused: "A notice has at most 200 characters.")
    test.send(.postTapped(text: longest), as: client(writer))
    test.receive(.boardChanged(board.value)) { $0.notices = [Notice(id: 1, author: "ada", text: longest)] }
    test.skipEffectsInFlight()
  }

  @Test func boss_erases() {
    board.update { $0.post("Hello", by: "ada") }
    let test = members(CurrentIdentity(boss))
    test.send(.eraseTapped(id: 1), as: client(boss))
    test.receive(.boardChanged(board.value)) { $0.notices = [] }
    test.skipEffectsInFlight()
  }

  @Test func whoMayNot_isForbidden() {
    board.update { $0.post("Hello", by: "ada") }
    let test = members(CurrentIdentity(writer))
    test.sendForbidden(.eraseTapped(id: 1), as: client(writer))
    test.sendForbidden(.postTapped(text: "Hello"), as: client(guest))
    test.sendForbidden(.postTapped(text: "Hello"))
    // Whoever was invited may not post in the name of the person whose session it is, or sign that person out.
    test.sendForbidden(.postTapped(text: "Hello"), as: client(boss))
    test.sendForbidden(.signOutEverywhereTapped, as: client(boss))
    test.sendForbidden(.signOutEverywhereTapped, as: client(Identity("ada", issuer: "https://another.example")))
    test.send(.eraseTapped(id: 1), as: client(boss))
    test.receive(.boardChanged(board.value)) { $0.notices = [] }
    test.skipEffectsInFlight()
  }

  @Test func signOutEverywhere_signsThePersonOut() {
    let out = Mutex<[Identity]>([])
    let test = members(CurrentIdentity(writer)) { person in out.withLock { $0.append(person) } }
    test.send(.signOutEverywhereTapped, as: client(writer))
    test.skipEffectsInFlight()
    #expect(out.withLock { $0 } == [writer])
  }

  @Test func signOutThatFails_isSaid_untilSomethingElseIsDone() {
    struct Failure: Error {}
    let test = members(CurrentIdentity(writer)) { _ in throw Failure() }
    test.send(.signOutEverywhereTapped, as: client(writer))
    test.receive(.signOutFailed) { $0.problem = "You could not be signed out everywhere. Try again." }
    test.send(.postTapped(text: "Hello"), as: client(writer)) { $0.problem = nil }
    test.receive(.boardChanged(board.value)) { $0.notices = [Notice(id: 1, author: "ada", text: "Hello")] }
    test.skipEffectsInFlight()
  }
}
