import Testing
import Wire

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

// What is read by the same statements.

extension PostgresStoreTests {
  /// What a node is answered that reads sessions, of which the transaction has locked none.
  private static func read(
    _ node: PostgresStore, _ names: [String], _ transaction: PostgresTransaction
  ) throws(PostgresError) -> [String] {
    var reads = PostgresReads()
    for name in names { _ = reads.accept(.load(sessionID: name, from: .nobody)) }
    return try node.read(reads, [], transaction).map(name)
  }

  /// A result without what was read.
  private static func name(_ result: StoreResult) -> String {
    if case .held = result { "\(result)" } else { String("\(result)".prefix { $0 != "(" }) }
  }

  private static func resume(_ id: String, revision: Int = 1) -> StoreRequest {
    .resume(
      SessionResume(
        sessionID: id, clientID: 1, tokenHash: "hash 1", attempt: 4, epoch: "e", revision: revision, program: "p"))
  }

  /// Nodes that ask for each other's sessions, and write their own meanwhile, do not wait for each other in a circle.
  @Test func sessionThatAnotherNodeHolds_isNotLocked() throws {
    try withNodes { one, two, _ in
      let leases = try ["one", "two"].map { try one.create($0, Self.held) }
      let own = try two.create("three")
      _ = try two.create("four")
      try two.transact { transaction throws(PostgresError) in
        let loads = ["two", "four", "missing", "\0"].map { StoreRequest.load(sessionID: $0, from: .nobody) }
        let locked = try two.lock([.write(own, StoreSample.cut(version: 2))] + loads, transaction)
        #expect(locked == ["three", "four"])
        let other = try Self.read(two, ["two"], transaction)
        #expect(other == ["held(by: \(one.node))"])
        let others = PostgresStatement(
          PostgresQuery("SELECT sid FROM rib_session ORDER BY sid FOR UPDATE SKIP LOCKED", isPrepared: false))
        let unlocked = try? one.transact { transaction throws(PostgresError) in
          try transaction.run(others).rows.map { $0.text(0) }
        }
        #expect(unlocked == ["one", "two"])
      }
      // One that has become free since the others were locked.
      #expect(try one.write(leases[0], StoreSample.cut(version: 2)) == "written")
      try two.transact { transaction throws(PostgresError) in
        let both = try Self.read(two, ["one", "two"], transaction)
        #expect(both == ["loaded", "held(by: \(one.node))"])
      }
    }
  }

  /// Each session has its own result, and those that cannot be read are not taken.
  @Test func batch_isReadWithoutThoseThatCannotBe() throws {
    try withNodes { one, two, _ in
      let rest = SessionState.Rest(epoch: "e", viewHash: "h", program: "p")
      let resting = StoreSample.cut(StoreSample.state(rest: rest), nacks: [StoreSample.refusal(3)])
      for name in ["free", "bare", "damaged"] { _ = try one.create(name) }
      for name in ["sleeping", "waking"] { _ = try one.create(name, resting) }
      for name in ["held", "wanted"] { _ = try one.create(name, Self.held) }
      let full = StoreSample.cut(
        changed: [StoreSample.node(1, "7", children: ["a": ["b": 2]]), StoreSample.node(2, "8")],
        nacks: [StoreSample.refusal(2)])
      _ = try one.create("full", full)
      try one.transact { transaction throws(PostgresError) in
        let damage = PostgresQuery(
          "UPDATE rib_riblet SET children = 'x' WHERE session = (SELECT id FROM rib_session WHERE sid = 'damaged')",
          isPrepared: false)
        _ = try transaction.run(PostgresStatement(damage))
      }
      let cases: [(StoreRequest, String)] = [
        (.load(sessionID: "free", from: .nobody), "loaded"), (.load(sessionID: "full", from: .nobody), "loaded"),
        (.load(sessionID: "held", from: .nobody), "held(by: \(one.node))"), (.load(sessionID: "none"), "missing"),
        (.load(sessionID: "wanted", from: .processes([one.node])), "loaded"), (.load(sessionID: "\0"), "missing"),
        (.load(sessionID: "bare", tokenHash: "another"), "denied"), (.load(sessionID: "damaged"), "refused"),
        (Self.resume("sleeping"), "resting"), (Self.resume("waking", revision: 0), "mustLoad"),
        // Of one that is in the batch already, behind what was asked for before.
        (Self.resume("held"), "held(by: \(one.node))"), (.load(sessionID: "free", from: .nobody), "loaded"),
      ]
      let results = try two.perform(cases.map(\.0))
      for (result, expected) in zip(results, cases) { #expect(Self.name(result) == expected.1, "\(expected.0)") }
      guard case .loaded(let first) = results[0], case .loaded(let last) = results[11],
        case .loaded(let read) = results[1], case .resting(let session) = results[8]
      else { return }
      #expect(last.lease == SessionLease(row: first.lease.row, number: first.lease.number + 1))
      #expect(read.tree.nodes.mapValues(\.state) == [1: "7", 2: "8"] && read.nacks.map(\.nack.number) == [2])
      #expect(session.nacks.map(\.number) == [3] && session.client.attempt == 4)
      // What could not be read is as it was.
      for name in ["bare", "damaged", "held"] {
        let lease = try one.transact { transaction throws(PostgresError) in
          let select = PostgresQuery("SELECT lease, holder FROM rib_session WHERE sid = $1::text")
          return try transaction.run(PostgresStatement(select, .text(name))).first.map {
            [$0.integer(0), $0.integer(1)]
          }
        }
        #expect(lease == [1, name == "held" ? one.node : 0], "\(name)")
      }
    }
  }
}
