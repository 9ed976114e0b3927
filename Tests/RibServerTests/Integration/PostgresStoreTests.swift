import Foundation
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

/// What a store that nodes share across a network does beyond the contract.
@Suite(.enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL")) struct PostgresStoreTests {
  static let ada = PersonID("ada", issuer: "i\0")

  /// Two nodes with one database; the clock is the first one's.
  func withNodes(_ body: (_ one: PostgresStore, _ two: PostgresStore, TestClock) throws -> Void) throws {
    let url = try PostgresServer.makeDatabase()
    let clock = TestClock()
    let nodes = try (0..<2).map { _ in try PostgresStore(url: url, clock: clock.clock) }
    defer { for node in nodes { node.close() } }
    for node in nodes { try node.begin(StoreStart()) }
    try body(nodes[0], nodes[1], clock)
  }

  static let held = StoreSample.cut(StoreSample.state(isHeld: true))

  // MARK: Nodes

  /// Also a second node that starts at the same time finds the tables, or waits until they are there.
  @Test func nodesThatStartTogether_makeTheTablesOnce() async throws {
    let url = try PostgresServer.makeDatabase()
    let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await blocking { () throws -> Int in
            let store = try PostgresStore(url: url)
            defer { store.close() }
            return try store.begin(StoreStart())
          }
        }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(numbers.count == 4 && !numbers.contains(0))
  }

  @Test func sessionThatAnotherNodeHolds_isOnlyTakenOverByForce() throws {
    try withNodes { one, two, _ in
      let lease = try one.create("one", Self.held)
      guard case .held(by: one.node) = try two.perform(.load(sessionID: "one", from: .nobody)) else {
        Issue.record("it was taken")
        return
      }
      #expect(try one.write(lease, StoreSample.cut(Self.held.state, version: 2)) == "written")
      let taken = try #require(try two.load()).lease
      #expect(try one.write(lease, StoreSample.cut(Self.held.state, version: 3)) == "lost")
      // Once it rests, anybody may have it.
      #expect(try two.write(taken, StoreSample.cut()) == "written")
      guard case .loaded = try one.perform(.load(sessionID: "one", from: .nobody)) else {
        Issue.record("nobody holds it")
        return
      }
    }
  }

  /// What a node has held that has died is free once another one says so, and is then as old as its last word.
  @Test func sessionsOfDeadNodes_areFreed() throws {
    try withNodes { one, two, clock in
      let directory = PostgresDirectory(url: one.url)
      defer { directory.close() }
      for number in 0..<3 { _ = try one.create("\(number)", Self.held) }
      let own = try two.create("own", Self.held)
      let nodes = try directory.beat(ClusterNode(id: one.node, program: "p"))
      #expect(nodes.map(\.id) == [one.node, two.node] && nodes[0].beat > 0 && nodes[1].beat == 0)
      let dead = [nodes[0]]
      clock.advance(30)
      _ = try two.perform(.probe)
      #expect(try directory.free(sessionsOf: dead, limit: 2) == 2)
      #expect(try directory.beat(ClusterNode(id: two.node, program: "p")).count == 2)
      #expect(try directory.free(sessionsOf: dead, limit: 2) == 1)
      #expect(try directory.beat(ClusterNode(id: two.node, program: "p")).map(\.id) == [two.node])
      guard case .loaded(let session) = try two.perform(.load(sessionID: "1", from: .nobody)) else {
        Issue.record("somebody holds it")
        return
      }
      #expect(session.state.alone == .seconds(30))
      #expect(try two.write(own, StoreSample.cut(Self.held.state, version: 2)) == "written")
    }
  }

  /// It was silent: what was freed meanwhile it cannot write any more, and it is there again for the others.
  @Test func nodeThatComesBack_writesNothingThatIsFree() throws {
    try withNodes { one, two, _ in
      let directory = PostgresDirectory(url: one.url)
      defer { directory.close() }
      let lease = try one.create("one", Self.held)
      #expect(try directory.voided(among: [lease]).isEmpty)
      let dead = ClusterNode(id: one.node, program: "")
      // One that has been heard since is left alone.
      let heard = ClusterNode(id: one.node, beat: 1, program: "")
      #expect(try directory.free(sessionsOf: [heard], limit: 10) == 0)
      #expect(try directory.free(sessionsOf: [dead], limit: 10) == 1)
      #expect(try directory.voided(among: [lease]) == [lease])
      var progress = StoreSample.cut(Self.held.state, version: 2)
      progress.isProgress = true
      #expect(try one.write(lease, progress) == "lost")
      let nodes = try directory.beat(ClusterNode(id: one.node, program: "new", isDraining: true))
      var again = try #require(nodes.first)
      #expect(again.beat != dead.beat)
      again.beat = 0
      #expect(again == ClusterNode(id: one.node, program: "new", isDraining: true))
      _ = try one.create("two", Self.held)
      guard case .held(by: one.node) = try two.perform(.load(sessionID: "two", from: .nobody)) else {
        Issue.record("it was taken")
        return
      }
    }
  }

  @Test func leasesOfDeletedSessions_areVoid() throws {
    try withNodes { one, two, _ in
      let directory = PostgresDirectory(url: one.url)
      defer { directory.close() }
      let leases = try (0..<3).map { try one.create("\($0)", Self.held) }
      _ = try one.perform(.remove(sessionID: "0", leases[0]))
      _ = try two.load("1")
      #expect(try Set(directory.voided(among: leases).map(\.row)) == Set(leases[..<2].map(\.row)))
      #expect(try directory.voided(among: []).isEmpty)
    }
  }

  /// Two nodes, one with the mark 4711, and one that has not begun, with the first one's table and a start that is the third one's.
  private func withMarkedNode(
    _ body: (
      _ one: PostgresStore, _ two: PostgresStore, _ last: PostgresStore, _ next: PostgresStore, PostgresDirectory,
      inout StoreStart
    ) throws -> Void
  ) throws {
    try withNodes { one, two, _ in
      let directory = PostgresDirectory(url: one.url)
      defer { directory.close() }
      let (last, next) = (try PostgresStore(url: one.url), try PostgresStore(url: one.url))
      defer { for store in [last, next] { store.close() } }
      var start = StoreStart()
      start.mark = 4711
      try last.begin(start)
      try body(one, two, last, next, directory, &start)
    }
  }

  /// A process says of the one before it that it has died, and of none that has another mark; which holds until that is heard.
  @Test func nodeThatHasASuccessor_isSaidToBeDead_untilItIsHeard() throws {
    try withMarkedNode { one, two, last, next, directory, start in
      // Numbers of nodes, and no mark, are nobody's marks.
      (start.mark, start.predecessors) = (0, [4711, one.node, 0])
      try next.begin(start)
      let nodes = try directory.beat(ClusterNode(id: two.node, program: "p"))
      #expect(nodes.map(\.id) == [one.node, two.node, last.node, next.node])
      #expect(nodes.map(\.isSucceeded) == [false, false, true, false])
      #expect(try directory.beat(ClusterNode(id: last.node, program: "p")).allSatisfy { !$0.isSucceeded })
    }
  }

  /// It was taken for dead once: its successor need not wait until it is taken for dead again.
  @Test func nodeThatWasForgottenAndIsBack_hasASuccessor() throws {
    try withMarkedNode { one, two, last, next, directory, start in
      #expect(try directory.free(sessionsOf: [ClusterNode(id: last.node, program: "")], limit: 10) == 0)
      #expect(try directory.beat(ClusterNode(id: two.node, program: "p")).map(\.id) == [one.node, two.node])
      _ = try directory.beat(ClusterNode(id: last.node, program: "p", mark: 4711))
      (start.mark, start.predecessors) = (0, [4711])
      try next.begin(start)
      let nodes = try directory.beat(ClusterNode(id: two.node, program: "p"))
      #expect(nodes.map(\.id) == [one.node, two.node, last.node, next.node])
      #expect(nodes.map(\.isSucceeded) == [false, false, true, false])
    }
  }

  /// Its node was forgotten, and has created it nevertheless.
  @Test func sessionOfANodeThatNobodyKnows_isFreed() throws {
    try withNodes { one, two, _ in
      let directory = PostgresDirectory(url: one.url)
      defer { directory.close() }
      #expect(try directory.free(sessionsOf: [ClusterNode(id: one.node, program: "")], limit: 10) == 0)
      let (lost, own) = (try one.create("one", Self.held), try two.create("two", Self.held))
      #expect(try directory.freeOrphans(limit: 10) == 1)
      #expect(try directory.voided(among: [lost, own]) == [lost])
    }
  }

  /// A node has taken it, and does not know.
  @Test func sessionOfANode_isFreed_ifItIsThatUnderTheSameLease() throws {
    try withNodes { one, two, _ in
      let directory = PostgresDirectory(url: one.url)
      defer { directory.close() }
      let names = ["one", "two", "three", "four"]
      for name in names { _ = try one.create(name, StoreSample.cut()) }
      let leases = try ["one", "two", "three"].map { try #require(try one.load($0)).lease }
      _ = try two.load("four")
      let held = { try directory.leases(ofSessions: names + ["five", "si\0x"], heldBy: one.node) }
      #expect(try held() == ["one": leases[0], "two": leases[1], "three": leases[2]])
      let newer = try #require(try one.load("two")).lease
      // A node that writes knows what it has.
      #expect(try one.write(leases[2], Self.held) == "written")
      #expect(try held() == ["one": leases[0], "two": newer])
      #expect(try directory.free(leases, heldBy: two.node) == 0)
      #expect(try directory.free(leases, heldBy: one.node) == 1)
      #expect(try held() == ["two": newer])
      #expect(try directory.voided(among: [leases[0], newer, leases[2]]) == [leases[0]])
      guard case .loaded = try two.perform(.load(sessionID: "one", from: .nobody)) else {
        Issue.record("it is held still")
        return
      }
    }
  }

  @Test func databaseThatWasPutBack_hasNoSessionAtRest() throws {
    let url = try PostgresServer.makeDatabase()
    for isRestored in [false, true] {
      let store = try PostgresStore(url: url)
      defer { store.close() }
      var start = StoreStart()
      start.isRestored = isRestored
      try store.begin(start)
      let rest = SessionState.Rest(epoch: "e", viewHash: "h", program: "p")
      if !isRestored { _ = try store.create("one", StoreSample.cut(StoreSample.state(rest: rest))) }
      let result = try store.perform(
        .resume(
          SessionResume(
            sessionID: "one", clientID: 1, tokenHash: "hash 1", attempt: isRestored ? 5 : 4, epoch: "e", revision: 1,
            program: "p")))
      switch result {
      case .resting(let session):
        #expect(!isRestored)
        _ = try store.perform(.noteAbsence(sessionID: "one", session.lease))
      case .mustLoad: #expect(isRestored)
      default: Issue.record("\(result)")
      }
    }
  }

  @Test func nodeThatEnds_frees() throws {
    try withNodes { one, two, clock in
      _ = try one.create("one", Self.held)
      clock.advance(5)
      one.close()
      clock.advance(7)
      guard case .loaded(let session) = try two.perform(.load(sessionID: "one", from: .nobody)) else {
        Issue.record("nobody holds it")
        return
      }
      #expect(session.state.alone == .seconds(7))
    }
  }

  @Test func crashesOfAProcess_areCounted() throws {
    let url = try PostgresServer.makeDatabase()
    for times in 0..<3 {
      let store = try PostgresStore(url: url)
      defer { store.close() }
      var start = StoreStart()
      start.crashes = times == 0 ? [] : [FlightEntry(sessionID: "one", client: 1, number: 4)]
      try store.begin(start)
      if times == 0 { _ = try store.create() }
      let crashes = try #require(try store.load()).crashes
      #expect(crashes == (times == 0 ? [] : [StoredSession.Crash(client: 1, number: 4, count: times)]))
      guard times == 2 else { continue }
      let lease = try #require(try store.load()).lease
      let survived = StoreSample.cut(survived: crashes)
      #expect(try store.write(lease, survived) == "written")
      #expect(try store.load()?.crashes.isEmpty == true)
    }
  }
}
