import CurlTransport
import RibCore
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibPostgres
@testable import RibServer

/// A server as one of the nodes that share a database.
@Suite(
  .enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL"), .timeLimit(.minutes(5)))
struct ClusterTests {
  /// A node, and the store of another one, which does nothing by itself.
  func withNode(
    leases: Int = Cluster.Pace().leases, _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: (ClusterHost, _ other: PostgresStore) async throws -> Void
  ) async throws {
    let url = try PostgresServer.makeDatabase()
    let (node, other) = (try ClusterHost(url, leases: leases, change: change), try PostgresStore(url: url))
    try other.begin(StoreStart())
    let result: Result<Void, any Error>
    do { result = .success(try await body(node, other)) } catch { result = .failure(error) }
    node.host.store.hold(false)
    await node.host.stop()
    other.close()
    try result.get()
  }

  @Test func nodeThatIsNotHeardOf_letsNobodyIn() async throws {
    try await withNode { node, _ in
      let client = try await blocking { try PlainClient(node.host.url) }
      node.directory.fail(true)
      #expect(await node.beats())
      // Others may not have noticed yet.
      #expect(!node.isSuspended)
      node.clock.advance(7)
      #expect(node.isSuspended)
      try await blocking {
        for hello in [#"{"t":"hello","app":"logbook"}"#, PlainClient.resume(try client.welcome, attempt: 1)] {
          #expect(try PlainClient(node.host.url, saying: hello).end() == "unavailable 4101")
        }
        // Who is in is answered, once the store has shown that nobody else has the session.
        let twin = try TwinClient(node.host.url, sessionID: client.welcome.sessionID, token: client.welcome.token)
        #expect(try twin.view().status == 200)
        #expect(try TwinClient(node.host.url).create(#"{"app":"logbook"}"#).isProblem(503))
        // What it commits is its own.
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
      }
      node.directory.fail(false)
      #expect(await eventually { !node.isSuspended })
      _ = try await blocking { try PlainClient(node.host.url) }
    }
  }

  /// A view waits until a commit has shown whose the session is: also one that nobody has changed.
  @Test func viewOfANodeThatIsNotHeardOf_waitsForTheStore() async throws {
    try await withNode { node, _ in
      let client = try await blocking { try PlainClient(node.host.url) }
      node.directory.fail(true)
      #expect(await node.beats())
      node.clock.advance(7)
      node.host.store.hold(true)
      try await blocking { try client.send(#"{"t":"resync"}"#) }
      #expect(await eventually { node.host.store.isWaiting })
      try await blocking {
        #expect(throws: CurlError.timedOut) { try client.next(timeout: 0) }
        return
      }
      node.host.store.hold(false)
      try await blocking { _ = try client.next(#"{"t":"snap""#) }
    }
  }

  /// It hears of what others have done meanwhile before it trusts itself again.
  @Test func sessionThatOthersHaveTaken_isLetGo_beforeAnythingIsShown() async throws {
    try await withNode { node, other in
      let client = try await blocking { try PlainClient(node.host.url) }
      let stays = try await blocking { try PlainClient(node.host.url) }
      node.directory.fail(true)
      #expect(await node.beats())
      node.clock.advance(15)
      _ = try #require(try other.load(try client.welcome.sessionID))
      try await blocking {
        // The store says so to who asks for anything.
        try client.send(#"{"t":"check"}"#)
        #expect(try client.end() == "moved 4002")
      }
      _ = try #require(try other.load(try stays.welcome.sessionID))
      node.directory.failComparisons(true)
      node.directory.fail(false)
      #expect(await node.beats())
      #expect(await node.beats())
      #expect(node.isSuspended, "it does not know yet what others have")
      node.directory.failComparisons(false)
      #expect(try await blocking { try stays.end() } == "moved 4002")
      #expect(await eventually { !node.isSuspended && node.host.sessionCount == 0 })
    }
  }

  /// The same of one whose client sleeps, which may have said something before the node has heard of what others have.
  @Test(arguments: ["", #"{"t":"ping"}"#])
  func sleepingSessionThatOthersHaveTaken_isLetGo(message: String) async throws {
    try await withNode({ $0.sessions.idleRestSeconds = 0 }) { node, other in
      let client = try await blocking { try PlainClient(node.host.url) }
      for _ in 0..<200 where node.host.sessionCount > 0 {
        node.clock.advance(1)
        #expect(await node.beats())
      }
      #expect(node.host.sessionCount == 0)
      node.directory.fail(true)
      #expect(await node.beats())
      node.clock.advance(15)
      if !message.isEmpty {
        try await blocking {
          try client.send(message)
          try client.next(#"{"t":"pong""#)
        }
      }
      _ = try #require(try other.load(try client.welcome.sessionID))
      node.directory.fail(false)
      #expect(try await blocking { try client.end() } == "moved 4002")
      #expect(await eventually { !node.isSuspended })
    }
  }

  /// Nobody is cut off: what was taken by force is noticed ten seconds later, also where the clients sleep.
  @Test(arguments: [false, true])
  func sessionThatWasTakenByForce_isNoticed(isAsleep: Bool) async throws {
    try await withNode({ $0.sessions.idleRestSeconds = isAsleep ? 0 : 600 }) { node, other in
      let client = try await blocking { try PlainClient(node.host.url) }
      if isAsleep {
        for _ in 0..<200 where node.host.sessionCount > 0 {
          node.clock.advance(1)
          #expect(await node.beats())
        }
        #expect(node.host.sessionCount == 0)
      }
      _ = try #require(try other.load(try client.welcome.sessionID))
      for _ in 0..<4 {
        node.clock.advance(3)
        #expect(await node.beats())
      }
      #expect(try await blocking { try client.end() } == "moved 4002")
    }
  }

  /// The node is suspended when it has compared one of two leases, and another node takes both sessions: both are compared again.
  @Test func suspensionDuringAComparison_isFollowedByAnotherOne() async throws {
    try await withNode(leases: 1) { node, other in
      let clients = try await blocking { [try PlainClient(node.host.url), try PlainClient(node.host.url)] }
      let ids = try clients.map { try $0.welcome.sessionID }
      let taken = Mutex(0)
      node.directory.whenCompared {
        node.clock.advance(15)
        taken.withLock { taken in taken = ids.count { (try? other.load($0)) != nil } }
        // Before the other lease is compared.
        node.cluster.queue.add { _ = node.cluster.beat() }
      }
      for _ in 0..<10 where taken.withLock({ $0 }) == 0 {
        node.clock.advance(3)
        #expect(await node.beats())
      }
      #expect(taken.withLock { $0 } == 2)
      for client in clients { #expect(try await blocking { try client.end() } == "moved 4002") }
      #expect(await eventually { !node.isSuspended && node.host.sessionCount == 0 })
    }
  }

  /// The client whose return it was has gone elsewhere, or nowhere: nothing would ever free it.
  @Test(arguments: [false, true]) func sessionThatWasTakenUnknowingly_isFreed(restsOn: Bool) async throws {
    try await withNode({ ($0.sessions.restSeconds, $0.sessions.idleRestSeconds) = (0, 0) }) { node, other in
      let directory = PostgresDirectory(url: other.url)
      defer { directory.close() }
      let welcome = try await blocking { try PlainClient.writeAndLeave(node.host.url) }
      let held = { try directory.leases(ofSessions: [welcome.sessionID], heldBy: node.id) }
      var rests = false
      for _ in 0..<200 where !rests {
        node.clock.advance(1)
        #expect(await node.beats())
        rests = try node.host.sessionCount == 0 && held().isEmpty
      }
      try #require(rests)
      node.host.store.loseAnswers(true)
      let hello =
        restsOn
        ? PlainClient.resume(welcome, attempt: 1, epoch: welcome.epoch, revision: welcome.revision + 1)
        : PlainClient.resume(welcome, attempt: 1)
      #expect(try await blocking { try PlainClient(node.host.url, saying: hello).end() } == "unavailable 4101")
      node.host.store.loseAnswers(false)
      #expect(try held().count == 1)
      for _ in 0..<12 where try !held().isEmpty {
        node.clock.advance(3)
        #expect(await node.beats())
      }
      #expect(try held().isEmpty)
      guard case .loaded = try other.perform(.load(sessionID: welcome.sessionID, from: .nobody)) else {
        Issue.record("it is held still")
        return
      }
    }
  }

  @Test func sessionsOfNodesThatDie_areFree() async throws {
    try await withNode { node, other in
      let cut = StoreSample.cut(StoreSample.state(isHeld: true))
      _ = try other.create("one", cut)
      let isDead = { node.cluster.state.withLock { $0.membership.isDead(other.node) } }
      // What passes while a reading is on its way is no silence.
      for _ in 0..<100 where !isDead() {
        node.clock.advance(2)
        #expect(await node.beats())
      }
      #expect(isDead())
      let third = try PostgresStore(url: other.url)
      defer { third.close() }
      try third.begin(StoreStart())
      let isFree = await eventually {
        if case .loaded? = try? third.perform(.load(sessionID: "one", from: .nobody)) { true } else { false }
      }
      #expect(isFree)
    }
  }

  /// A client that has been answered.
  private static func client(of node: ClusterHost, doing action: String) async throws -> PlainClient {
    try await blocking {
      let client = try PlainClient(node.url)
      try client.act(1, #"{"\#(action)":"a"}"#)
      try client.next(#"{"t":"patch""#)
      return client
    }
  }

  /// A client that comes while nobody knows yet that the node is dead which has its session is let in once that is known; it need not come again.
  @Test func nodeThatDies_isWaitedFor() async throws {
    try await ClusterHost.with(2) { nodes in
      let client = try await Self.client(of: nodes[0], doing: "write")
      nodes[0].directory.fail(true)
      nodes[0].cluster.state.withLock { $0.links }?.stop()
      #expect(await eventually { nodes[1].linkCount == 0 })
      try await blocking {
        let back = try PlainClient(nodes[1].url, resuming: try client.welcome, attempt: 1)
        #expect(back.greeting.contains(#""n":1"#), "\(back.greeting)")
      }
      #expect(nodes[1].host.sessionCount == 1)
    }
  }

  /// A client whose session a node has that is about to stop, and does not let go of it yet, is not passed on to that one, which would cut it off.
  @Test func nodeThatStops_isWaitedFor() async throws {
    try await ClusterHost.with(2) { nodes in
      // The session does not make way while it runs.
      let client = try await Self.client(of: nodes[0], doing: "work")
      nodes[0].cluster.drain(within: 60)
      #expect(await eventually { nodes[1].cluster.state.withLock { $0.drainEnds[nodes[0].id] != nil } })
      let back = Task { try await blocking { try PlainClient(nodes[1].url, resuming: try client.welcome, attempt: 1) } }
      #expect(await eventually { nodes[1].host.context.sessions.count == 1 })
      await nodes[0].host.stop()
      let greeting = try await back.value.greeting
      #expect(greeting.contains(#""t":"welcome""#) && greeting.contains(#""n":1"#), "\(greeting)")
      #expect(nodes[1].onwardCount == 0 && nodes[1].host.sessionCount == 1)
    }
  }

  struct Guest: Codable, Equatable, Identifiable, Sendable { let id: String }

  /// Who is at one node is seen at the others; who comes back elsewhere has never left, and of a node that is gone nobody stays.
  @Test func presence_isThatOfAllNodes() async throws {
    try await ClusterHost.with(3) { nodes in
      let rooms = nodes.map { Presence<Guest>(name: "room", on: $0.exchanges.presences) }
      let log = rooms[2].subscribe()
      let watching = Task {
        var seen: [Set<String>] = []
        for await guests in log { seen.append(Set(guests.map(\.id))) }
        return seen
      }
      func areAll(_ ids: Set<String>, _ rooms: some Sequence<Presence<Guest>>) async -> Bool {
        await eventually { rooms.allSatisfy { Set($0.members.map(\.id)) == ids } }
      }
      let ben = rooms[1].enter(Guest(id: "Ben"))
      var ada: PresenceEntry? = rooms[0].enter(Guest(id: "Ada"))
      #expect(await areAll(["Ada", "Ben"], rooms))
      ada = nil
      ada = rooms[2].enter(Guest(id: "Ada"))
      let cleo = rooms[0].enter(Guest(id: "Cleo"))
      #expect(await areAll(["Ada", "Ben", "Cleo"], rooms))
      await nodes[0].host.stop()
      #expect(await areAll(["Ada", "Ben"], rooms.dropFirst()))
      watching.cancel()
      let seen = await watching.value
      let first = try #require(seen.firstIndex { $0.contains("Ada") })
      #expect(seen[first...].allSatisfy { $0.contains("Ada") }, "\(seen)")
      withExtendedLifetime((ada, ben, cleo)) {}
    }
  }

  /// What a topic with a name publishes at one node reaches those who observe it at the others, soon; how soon is printed.
  @Test func topicWithAName_isThatOfAllNodes() async throws {
    try await ClusterHost.with(3) { nodes in
      let topics = nodes.map { Topic<[Int]>(name: "numbers", bufferSize: 4096, on: $0.exchanges.topics) }
      let (count, clock) = (500, ContinuousClock())
      var streams = topics.dropFirst().map { $0.subscribe().makeAsyncIterator() }
      var delays: [Duration] = []
      for number in 0..<count {
        let start = clock.now
        topics[0].publish([number])
        for index in streams.indices { #expect(await streams[index].next() == [number]) }
        delays.append(clock.now - start)
      }
      // Three publish, each in its own order.
      for (publisher, topic) in topics.enumerated() { for number in 0..<count { topic.publish([publisher, number]) } }
      for index in streams.indices {
        var last = [-1, -1, -1]
        for _ in 0..<3 * count {
          let heard = try #require(await streams[index].next())
          #expect(heard[1] == last[heard[0]] + 1)
          last[heard[0]] = heard[1]
        }
      }
      let sorted = delays.sorted()
      print("a publication at two other nodes: p50 \(sorted[count / 2]), p99 \(sorted[count * 99 / 100])")
      // On a machine that does much else.
      #expect(sorted[count / 2] < .milliseconds(50))
    }
  }
}
