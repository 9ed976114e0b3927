import Testing
import Wire

@testable import RibCore
@testable import RibServer

// Who may write a session, and when.

extension SessionStoreTests {
  @Test(arguments: Kind.allCases, [false, true]) func load_takesTheSessionFromWhoHadIt(
    _ kind: Kind, isProgress: Bool
  ) throws {
    try Self.with(kind) { store, _ in
      let first = try store.create("one", StoreSample.cut(changed: [StoreSample.node(1, "1")]))
      var next = StoreSample.cut(changed: [], version: 2)
      next.isProgress = isProgress
      #expect(try store.write(first, next) == "written")
      let loaded = try #require(try store.load())
      let second = loaded.lease
      #expect(second.row == first.row && second.number > first.number)
      var cut = StoreSample.cut(
        StoreSample.state(revision: 99), changed: [StoreSample.node(1, "99"), StoreSample.node(2)], removed: [1],
        nacks: [StoreSample.refusal(1)], version: 100)
      cut.isProgress = isProgress
      #expect(try store.write(first, cut) == "lost")
      guard case .removed(0) = try store.perform(.remove(sessionID: "one", first)),
        case .noted = try store.perform(.noteAbsence(sessionID: "one", first))
      else {
        Issue.record("an old lease was taken")
        return
      }
      let again = try #require(try store.load())
      // Whoever loads it holds it.
      #expect(again.state.isHeld && !loaded.state.isHeld)
      #expect(again.tree == loaded.tree && again.nacks.isEmpty)
      // The second lease is void by now as well.
      #expect(try store.write(second, cut) == "lost")
      #expect(try store.write(again.lease, StoreSample.cut(StoreSample.state(revision: 5))) == "written")
      #expect(try store.load()?.state.revision == 5)
    }
  }

  /// The lease of a session that was forgotten is no other session's.
  @Test(arguments: Kind.allCases) func lease_isNeverThatOfAnotherSession(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let first = try store.create()
      _ = try store.perform(.remove(sessionID: "one", first))
      let second = try store.create("two")
      #expect(second != first)
      #expect(try store.write(first, StoreSample.cut()) == "lost")
      #expect(try store.write(second, StoreSample.cut()) == "written")
    }
  }

  // MARK: Versions

  /// A statement that arrives late changes nothing.
  @Test(arguments: Kind.allCases, [false, true]) func olderVersion_isNotWritten(
    _ kind: Kind, isProgress: Bool
  ) throws {
    try Self.with(kind) { store, _ in
      let lease = try store.create()
      let cut = { (version: Int64) in
        var cut = StoreSample.cut(
          StoreSample.state(revision: Int(version)), changed: [StoreSample.node(1, "\(version)")],
          nacks: [StoreSample.refusal(Int(version))], version: version)
        cut.isProgress = isProgress
        return cut
      }
      for (version, expected) in [(3, "written"), (2, "lost"), (3, "written"), (5, "written"), (4, "lost")] {
        #expect(try store.write(lease, cut(Int64(version))) == expected, "\(version)")
      }
      let loaded = try #require(try store.load())
      #expect(loaded.state.revision == 5 && loaded.tree.nodes[1]?.state == "5")
      #expect(loaded.nacks.map(\.nack.number) == [3, 5])
      // A new lease counts anew.
      #expect(try store.write(loaded.lease, cut(1)) == "written")
      #expect(try store.write(lease, cut(9)) == "lost")
      #expect(try store.load()?.state.revision == 1)
    }
  }

  /// It is not known what became of the first attempt: the next one has what has changed since, too.
  @Test(arguments: Kind.allCases) func creationThatIsRepeated_isAWrite(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let lease = try store.create(
        "one", StoreSample.cut(changed: [StoreSample.node(1), StoreSample.node(2)], nacks: [StoreSample.refusal(1)]))
      let second = StoreSample.cut(
        StoreSample.state(revision: 2, isHeld: true), changed: [StoreSample.node(1, "new")], removed: [2],
        nacks: [StoreSample.refusal(1)], version: 2)
      for _ in 1...2 {
        let again = try store.create("one", second)
        #expect(again == lease)
      }
      // The first attempt arrives late.
      guard case .lost = try store.perform(.create(StoreSample.identity(), StoreSample.cut())) else {
        Issue.record("it was written")
        return
      }
      #expect(try store.write(lease, StoreSample.cut(second.state, changed: [], version: 3)) == "written")
      let loaded = try #require(try store.load())
      #expect(loaded.state.revision == 2 && loaded.nacks.count == 1)
      #expect(loaded.tree.nodes == [1: StoreSample.node(1, "new")])
      // Somebody has loaded it.
      guard case .lost = try store.perform(.create(StoreSample.identity(), StoreSample.cut(version: 9))) else {
        Issue.record("it was taken away")
        return
      }
      #expect(try store.write(loaded.lease, StoreSample.cut()) == "written")
    }
  }

  // MARK: Coming back

  private static let rest = SessionState.Rest(epoch: "e", viewHash: "h", program: "p")

  private func resume(
    _ id: String = "one", client: Int = 1, token: String = "hash 1", attempt: Int = 4, epoch: String = "e",
    revision: Int = 7, program: String = "p"
  ) -> StoreRequest {
    .resume(
      SessionResume(
        sessionID: id, clientID: client, tokenHash: token, attempt: attempt, epoch: epoch, revision: revision,
        program: program))
  }

  private func resting(isHeld: Bool = false, rest: SessionState.Rest? = rest) -> SessionCut {
    var state = StoreSample.state(
      revision: 7, clients: [StoreSample.client(number: 5), StoreSample.client(2)], isHeld: isHeld,
      alone: .seconds(50), rest: rest)
    state.clients[1].tokenHash = ""
    return StoreSample.cut(state, nacks: [StoreSample.refusal(4), StoreSample.refusal(1, client: 2)])
  }

  @Test(arguments: Kind.allCases) func sessionThatRests_isNotRead(_ kind: Kind) throws {
    try Self.with(kind) { store, clock in
      let first = try store.create("one", resting())
      clock.advance(10)
      guard case .resting(let session) = try store.perform(resume()) else {
        Issue.record("it has to be loaded")
        return
      }
      #expect(session.identity == StoreSample.identity())
      #expect(session.client == ClientRecord(id: 1, tokenHash: "hash 1", attempt: 4, number: 5, scope: .act))
      #expect(session.nacks.map(\.number) == [4])
      #expect(session.state.hasActed && session.state.revision == 7 && session.state.isHeld)
      #expect(session.state.clients.count == 2 && session.state.rest == Self.rest)
      // Whoever had it before has it no more.
      #expect(session.lease.row == first.row && session.lease.number > first.number)
      #expect(try store.write(first, resting()) == "lost")
      // A client waits: it is not forgotten.
      clock.advance(1000)
      #expect(try store.forgetOld(acted: 100, untouched: 100).isEmpty)
      // The client leaves, and comes back once more.
      _ = try store.perform(.noteAbsence(sessionID: "one", session.lease))
      guard case .resting(let again) = try store.perform(resume(attempt: 5)) else {
        Issue.record("it has to be loaded")
        return
      }
      #expect(again.client.attempt == 5)
      // What it rests with is still there for whoever loads it.
      let loaded = try #require(try store.load())
      #expect(loaded.state.rest == Self.rest && loaded.state.clients[0].attempt == 5)
      #expect(loaded.state.alone == .zero && loaded.tree.nodes[1] != nil)
      #expect(try store.write(again.lease, resting()) == "lost")
      // From then on it does not rest any more.
      _ = try store.perform(.noteAbsence(sessionID: "one", loaded.lease))
      guard case .mustLoad = try store.perform(resume(attempt: 6)) else {
        Issue.record("it does not rest")
        return
      }
    }
  }

  /// Nothing is changed by one that cannot be answered at once.
  @Test(arguments: Kind.allCases) func otherResumptions_areNotAnswered(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let lease = try store.create("one", resting())
      _ = try store.create("busy", resting(rest: SessionState.Rest(epoch: "e", viewHash: "h")))
      _ = try store.create("awake", resting(rest: nil))
      let cases: [(StoreRequest, String)] = [
        (resume("none"), "missing"), (resume(client: 3), "denied"), (resume(client: 2), "denied"),
        (resume(client: 2, token: ""), "denied"), (resume(token: "hash 2"), "denied"),
        (resume(token: "", attempt: 1, epoch: "x"), "denied"), (resume(attempt: 3), "stale"),
        (resume(attempt: 1, epoch: "x"), "stale"), (resume(epoch: "x"), "mustLoad"), (resume(epoch: ""), "mustLoad"),
        (resume(revision: 6), "mustLoad"), (resume(revision: 8), "mustLoad"), (resume("busy"), "mustLoad"),
        (resume("awake"), "mustLoad"), (resume(program: "q"), "mustLoad"),
      ]
      for (request, expected) in cases {
        let result = try store.perform(request)
        #expect("\(result)".prefix { $0 != "(" } == expected, "\(request)")
      }
      #expect(try store.write(lease, StoreSample.cut(resting().state, changed: [], version: 2)) == "written")
      guard case .resting = try store.perform(resume()) else {
        Issue.record("it does not rest any more")
        return
      }
    }
  }

  /// Another client of the session sleeps in this process: the session is in no memory.
  @Test(arguments: Kind.allCases) func sessionThatTheProcessHolds_restsOn(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      var cut = resting(isHeld: true)
      cut.state.clients[1] = StoreSample.client(2)
      _ = try store.create("one", cut)
      for (client, lease) in [(1, 2), (2, 3)] {
        guard case .resting(let session) = try store.perform(resume(client: client, token: "hash \(client)")) else {
          Issue.record("it has to be loaded")
          return
        }
        #expect(session.lease.number == Int64(lease) && session.client.id == client)
      }
    }
  }
}
