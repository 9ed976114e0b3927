import Testing
import Wire

@testable import RibServer

@Suite struct AudienceTests {
  @Test func invitation_letsOneClientIn_once() throws {
    var audience = Audience(token: "first")
    audience.invite("secret", .view, at: 100)
    #expect(throws: Ending.self) { try audience.accept("other", as: "token", at: 100).get() }
    let second = try audience.accept("secret", as: "second", at: 100).get()
    #expect(second == 2)
    #expect(throws: Ending.self) { try audience.accept("secret", as: "third", at: 100).get() }
    #expect(audience.count == 2 && audience[2].ledger.record.scope == .view)
    #expect(audience.client(with: "second") == 2 && audience.client(with: "secret") == nil)
  }

  @Test func invitation_isVoidInTime() {
    var audience = Audience(token: "first")
    audience.invite("secret", .act, at: 100)
    #expect(throws: Ending.self) { try audience.accept("secret", as: "second", at: 100 + Invitation.lifetime).get() }
  }

  @Test func oldestInvitation_makesRoom() throws {
    var audience = Audience(token: "first")
    for number in 0...Invitation.limit { audience.invite("\(number)", .act, at: 0) }
    #expect(audience.invitations.count == Invitation.limit)
    #expect(throws: Ending.self) { try audience.accept("0", as: "second", at: 0).get() }
    let second = try audience.accept("1", as: "second", at: 0).get()
    #expect(second == 2)
  }

  /// Clients that may only look invite as many as they like, and take nothing from those that may act.
  @Test func viewersInvitations_leaveRoomForOthers() throws {
    var audience = Audience(token: "first")
    audience.invite("mine", .act, at: 0)
    for number in 0...2 * Invitation.limit { audience.invite("\(number)", .view, by: .view, at: 0) }
    #expect(audience.invitations.count == Invitation.limit + 1)
    for number in 2...Audience.viewerLimit {
      audience.invite("i\(number)", .view, by: .view, at: 0)
      #expect(try audience.accept("i\(number)", as: "\(number)", at: 0).get() == number)
    }
    audience.invite("one more", .view, by: .view, at: 0)
    guard case .failure(let ending) = audience.accept("one more", as: "x", at: 0) else {
      Issue.record("let in")
      return
    }
    #expect(ending.bye == .full)
    #expect(try audience.accept("mine", as: "x", at: 0).get() == Audience.viewerLimit + 1)
    for number in Audience.viewerLimit + 2...Audience.limit {
      audience.invite("a\(number)", .view, at: 0)
      #expect(try audience.accept("a\(number)", as: "\(number)", at: 0).get() == number)
    }
  }

  /// Those who look on cannot keep a session that nobody may act in.
  @Test func session_isOver_whenNobodyMayAct() throws {
    var audience = Audience(token: "first")
    for scope in [ShareScope.view, .act, .view] {
      audience.invite("i", scope, at: 0)
      _ = try audience.accept("i", as: "x", at: 0).get()
    }
    audience.retire(1)
    #expect(!audience.isRetired)
    audience.retire(2)
    #expect(!audience.isRetired)
    audience.retire(3)
    #expect(audience.isRetired)
  }

  @Test func session_takesSoManyClients() throws {
    var audience = Audience(token: "1")
    for number in 2...Audience.limit { #expect(try Self.join(&audience) == number) }
    audience.invite("one more", .act, at: 0)
    guard case .failure(let ending) = audience.accept("one more", as: "x", at: 0) else {
      Issue.record("let in")
      return
    }
    #expect(ending.bye == .full)
  }

  /// Who cannot come back leaves the place to others, under an id of their own; but for the first client.
  @Test func clientThatIsGone_makesRoom() throws {
    var audience = Audience(token: "1")
    for number in 2...Audience.limit { #expect(try Self.join(&audience) == number) }
    audience.refuse(Nack(number: 1, code: .failed, message: ""), of: 7)
    audience.retire(1)
    audience.retire(7)
    #expect(try Self.join(&audience) == Audience.limit + 1)
    #expect(!audience.has(7) && !audience.isOpened(7, by: "7"))
    // What the store has of the one that is gone it forgets.
    let (acknowledged, others) = (audience.takeAcknowledged(), audience.takeAcknowledged())
    #expect(acknowledged == [7: 1] && others.isEmpty)
    for number in Audience.limit + 2...2 * Audience.limit {
      audience.retire(number - 1)
      #expect(try Self.join(&audience) == number)
    }
    #expect(audience.ids == Array(1...6) + [2 * Audience.limit] + Array(8...Audience.limit))
    let restored = Audience(SessionFinderTests.stored(clients: audience.records))
    for audience in [audience, restored] {
      for id in audience.ids where id != 1 {
        #expect(audience[id].ledger.id == id && audience.client(with: "\(id)") == id)
        #expect(audience.isOpened(id, by: "\(id)"))
      }
    }
  }

  private static func join(_ audience: inout Audience) throws -> Int {
    audience.invite("i", .act, at: 0)
    return try audience.accept("i", as: "\((audience.ids.max() ?? 0) + 1)", at: 0).get()
  }

  @Test(arguments: [(3, 1, "t", Bye.denied), (1, 1, "x", .denied), (1, 0, "t", .stale)])
  func client_isNotAdmitted(_ client: Int, _ attempt: Int, _ token: String, _ bye: Bye) {
    var audience = Audience(token: "t")
    let resume = ClientMessage.Resume(
      sessionID: "s", clientID: client, token: token, attempt: attempt, epoch: "", revision: 0)
    guard case .failure(let ending) = audience.admit(resume) else {
      Issue.record("let in")
      return
    }
    #expect(ending.bye == bye)
    #expect(audience[1].ledger.record.attempt == 0)
  }
}
