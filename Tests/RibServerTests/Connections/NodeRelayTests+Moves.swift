import CurlTransport
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

extension NodeRelayTests {
  /// A client that comes back by another node, with all of its view; and what it is at the end of its former connection.
  private static func comeBack(_ client: PlainClient, _ node: ClusterHost, attempt: Int) async throws -> PlainClient {
    try await blocking {
      let welcome = try client.welcome
      let back = try PlainClient(
        node.url, saying: PlainClient.resume(welcome, attempt: attempt, epoch: welcome.epoch, revision: 1))
      try back.greet()
      #expect(back.greeting.contains(#""epoch":"\#(welcome.epoch)""#), "\(back.greeting)")
      return back
    }
  }

  /// A lone client takes its session along; but not again within ten seconds, in which it is passed on.
  @Test func sessionThatHasJustCome_stays() async throws {
    try await ClusterHost.with(2) { nodes in
      var client = try await blocking { try PlainClient(nodes[0].url) }
      client = try await Self.comeBack(client, nodes[1], attempt: 1)
      #expect(nodes.map(\.host.sessionCount) == [0, 1] && nodes[1].onwardCount == 0)
      for attempt in 2...4 {
        client = try await Self.comeBack(client, nodes[0], attempt: attempt)
        #expect(nodes.map(\.host.sessionCount) == [0, 1] && nodes[0].onwardCount > 0)
      }
    }
  }

  /// After that it may move again.
  @Test func sessionThatHasBeenThereForLong_moves() async throws {
    try await ClusterHost.with(2, stay: 0) { nodes in
      var client = try await blocking { try PlainClient(nodes[0].url) }
      for attempt in 1...4 {
        client = try await Self.comeBack(client, nodes[attempt % 2], attempt: attempt)
        #expect(nodes[attempt % 2].host.sessionCount == 1 && nodes.allSatisfy { $0.onwardCount == 0 })
      }
    }
  }

  /// A session whose clients all come by one other node goes there: they are told to connect again, once.
  @Test func session_followsItsClients() async throws {
    try await ClusterHost.with(2, stay: 2_000_000_000) { nodes in
      var client = try await blocking { try PlainClient(nodes[0].url) }
      client = try await Self.comeBack(client, nodes[1], attempt: 1)
      client = try await Self.comeBack(client, nodes[0], attempt: 2)
      #expect(nodes.map(\.host.sessionCount) == [0, 1] && nodes[0].onwardCount > 0)
      let passedOn = client
      #expect(try await blocking { try passedOn.end() } == "moved 4002")
      _ = try await Self.comeBack(client, nodes[0], attempt: 3)
      #expect(nodes.map(\.host.sessionCount) == [1, 0] && nodes[0].onwardCount == 0)
    }
  }

  /// It stays for whoever is there.
  @Test func sessionWithAClientOfItsOwn_followsNobody() async throws {
    try await ClusterHost.with(2, stay: 0) { nodes in
      let (client, other) = try await Self.share(nodes)
      let (id, loop) = (try client.welcome.sessionID, nodes[0].host.loops[0])
      let isIdle = await eventually {
        loop.executeAndWait { nodes[0].host.context.sessions.peek(id)?.core.life.secondsIdle(at: loop.now) ?? 0 > 0 }
      }
      #expect(isIdle)
      loop.executeAndWait { nodes[0].host.context.sessions.peek(id)?.core.checkTime() }
      try await blocking { try Self.act([client, other], 1..<3) }
      #expect(nodes.map(\.host.sessionCount) == [1, 0] && nodes[1].onwardCount == 1)
    }
  }

  /// The node that has the session is gone: the client's connection ends, so that it comes back.
  @Test(arguments: [false, true]) func nodeThatIsGone_endsWhatIsPassedOn(isLink: Bool) async throws {
    try await ClusterHost.with(2) { nodes in
      let (_, other) = try await Self.share(nodes)
      if isLink {
        // As if it said nothing any more.
        nodes[0].cluster.state.withLock { $0.links }?.stop()
      } else {
        for loop in nodes[0].host.loops { loop.executeAndWait { for each in loop.connections.values { each.abort() } } }
      }
      #expect(try await blocking { try other.end() } == "none 0")
      #expect(await eventually { nodes[1].onwardCount == 0 })
    }
  }

  /// The node that passes clients on is about to stop, or the other one: clients are asked to go, and the session with them.
  @Test(arguments: [0, 1]) func clientsThatArePassedOn_areAskedToGo(draining: Int) async throws {
    try await ClusterHost.with(3) { nodes in
      let (client, other) = try await Self.share(nodes)
      async let end: Void = nodes[draining].host.stop(drainingFor: 30)
      try await blocking {
        for each in draining == 0 ? [client, other] : [other] { try each.next(#"{"t":"drain","within":"#) }
        let back = try PlainClient(nodes[2].url, resuming: try other.welcome, attempt: 1)
        try back.next(#"{"t":"snap""#)
        // What drains keeps no session; what does not keeps one that others use.
        #expect(try other.end() == (draining == 0 ? "moved 4002" : "taken 4409"))
        if draining == 0 { #expect(try client.end() == "moved 4002") }
        try back.act(1, #"{"write":"a"}"#)
        try back.next(#"{"t":"patch""#)
        if draining == 1 { try client.next(#"{"t":"patch""#) }
        #expect(nodes[2].onwardCount == (draining == 0 ? 0 : 1))
      }
      await end
      if draining == 1 { try await blocking { try Self.act([client], 1..<2) } }
    }
  }

  /// Who is passed on to a node that does not have the session is passed on no further.
  @Test func clientThatWasPassedOn_isPassedOnNoFurther() async throws {
    try await ClusterHost.with(3) { nodes in
      let client = try await blocking { try PlainClient(nodes[0].url) }
      let target = try #require(nodes[2].cluster.state.withLock { $0.membership.others.first { $0.id == nodes[1].id } })
      let port = try #require(Int(target.address.split(separator: ":").last ?? ""))
      try await blocking {
        let welcome = try client.welcome
        let socket = try CurlSocket(url: "http://127.0.0.1:\(port)")
        var bytes: [UInt8] = []
        RelayedClient(of: nodes[2].id, Caller(address: nil)).write(into: &bytes, to: target)
        let view =
          "GET /v1/sessions/\(welcome.sessionID)/view HTTP/1.1\r\nHost: a\r\nRiblet-Token: \(welcome.token)\r\n\r\n"
        try socket.send(bytes + Array(view.utf8))
        var answer = ReceiveBuffer()
        _ = try socket.receive(into: &answer)
        #expect(answer.text.hasPrefix("HTTP/1.1 503 "), "\(answer.text)")
      }
      #expect(nodes.map(\.host.sessionCount) == [1, 0, 0] && nodes[1].onwardCount == 0)
    }
  }

  /// A client that does not read slows nobody down, and has no more wait for it than one that is not passed on.
  @Test func clientThatDoesNotRead_takesLittleMemory() async throws {
    try await ClusterHost.with(2) { settings in
      settings.limits.writeQueueBytes = 65_536
    } _: { nodes in
      let (client, other) = try await Self.share(nodes)
      let title = String(repeating: "x", count: 10_000)
      try await blocking {
        for number in 1...1500 {
          try client.act(number, #"{"open":"\#(number) \#(title)"}"#)
          try client.next(#"{"t":"patch""#)
        }
      }
      let most = nodes[1].host.loops.map { loop in
        loop.executeAndWait { loop.connections.values.map { $0.output.count }.max() ?? 0 }
      }
      #expect(most.allSatisfy { (1...4 * NodeRelay.limit).contains($0) }, "\(most)")
      // Once it reads it is shown what there is.
      try await blocking {
        var text = ""
        while !text.contains(#""1500 x"#) { text = try other.next() }
      }
    }
  }
}
