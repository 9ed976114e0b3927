import GRDB
import RibCore
import Testing
import Wire

@testable import RibServer

/// What becomes of a session at rest when one of its persons is signed out.
extension SQLiteStoreTests {
  private static let ada = PersonID("ada", issuer: "")

  /// Ada has begun the session and invited somebody, Bob has joined it.
  private static func state() -> SessionState {
    let clients = ["ada", "bob"].enumerated().map { index, name in
      ClientRecord(
        id: index + 1, tokenHash: "hash \(index + 1)", attempt: 3, number: 0, scope: .act,
        profile: ClientProfile(ClientInfo(), ClientProfile.Person(Identity(name), since: 100)))
    }
    return SessionState(
      revision: 1, clients: clients, invitations: [Invitation(tokenHash: "invited", scope: .act, expires: .max)],
      hasActed: true, isHeld: false, rest: SessionState.Rest(epoch: "e", viewHash: "h", program: "p"))
  }

  /// Also when a friend has come back, and the session rests on.
  @Test func invitationOfWhoWasSignedOut_staysVoid() throws {
    let store = try open()
    defer { store.close() }
    try store.begin()
    _ = try store.create("one", StoreSample.cut(Self.state()))
    _ = try store.perform(.signOut(Revocation(Self.ada, at: 200, mark: 200), keeping: .seconds(600)))
    let resume = SessionResume(
      sessionID: "one", clientID: 2, tokenHash: "hash 2", attempt: 4, epoch: "e", revision: 1, program: "p",
      identity: Identity("bob"))
    guard case .resting = try store.perform(.resume(resume)),
      case .denied = try store.perform(.load(sessionID: "one", tokenHash: "invited"))
    else {
      Issue.record("Bob has to be let in, and whoever was invited not.")
      return
    }
  }

  /// A sign-out is kept with its millisecond.
  ///
  /// Of one that an earlier version has written the second alone is known.
  @Test func timeOfASignOut_isKeptAsPreciselyAsItIsKnown() throws {
    let store = try open()
    defer { store.close() }
    let signOut = StoreRequest.signOut(
      Revocation(Self.ada, millisecond: 1_700_000_000_123, mark: 200), keeping: .seconds(600))
    guard case .signedOut(let stored) = try store.perform(signOut) else { throw StoreError("not signed out") }
    #expect(stored.millisecond == 1_700_000_000_123 && stored.time == 1_700_000_000)
    try store.database.writeWithoutTransaction {
      try $0.execute(sql: "INSERT INTO revocation (subject, issuer, time, mark) VALUES ('bob', '', 1700000000, 1)")
    }
    guard case .revocations(let found, _) = try store.perform(.findRevocations(after: 0)) else {
      throw StoreError("none")
    }
    #expect(found.map(\.millisecond) == [1_700_000_000_123, 1_700_000_000_999])
  }

  /// Whoever has joined later by the invitation of a friend is none of those who had to leave.
  @Test func guestWhoHasComeSince_stays() {
    var state = Self.state()
    state.clients.append(StoreSample.client(3))
    state.revoke { $0.identity.subject == "ada" }
    #expect(state.clients.map(\.tokenHash) == ["hash 1", "hash 2", ""])
    #expect(state.invitations.isEmpty)
    state.clients.append(StoreSample.client(4))
    state.revoke { $0.identity.subject == "ada" }
    #expect(state.clients.map(\.tokenHash) == ["hash 1", "hash 2", "", "hash 4"])
  }
}
