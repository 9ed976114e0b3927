import CurlTransport
import RibTestSupport
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// Clients whose session another node has: nodes with sessions in a real PostgreSQL, linked over real sockets.
@Suite(
  .enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL"), .timeLimit(.minutes(5)))
struct NodeRelayTests {
  /// Two clients of a session, the first at the first node and the second passed on by the second one.
  static func share(
    _ nodes: [ClusterHost], compression: PerMessageDeflate.Offer? = nil
  ) async throws -> (PlainClient, PlainClient) {
    try await blocking {
      let client = try PlainClient(nodes[0].url)
      let other = try PlainClient(
        nodes[1].url, saying: #"{"t":"hello","share":"\#(try client.share("act"))"}"#, compression: compression,
        threshold: 0)
      try other.greet()
      try other.next(#"{"t":"snap""#)
      return (client, other)
    }
  }

  /// Each acts, and both see it.
  static func act(_ clients: [PlainClient], _ numbers: Range<Int>) throws {
    for number in numbers {
      for client in clients {
        try client.act(number, #"{"write":"line \#(number)"}"#)
        for each in clients { try each.next(#"{"t":"patch""#) }
      }
    }
  }

  /// Who comes by another node is in the same session, which stays where it is.
  @Test func clientOfASharedSession_isPassedOn() async throws {
    try await ClusterHost.with(2) { nodes in
      let (client, other) = try await Self.share(nodes)
      #expect(nodes.map(\.host.sessionCount) == [1, 0])
      #expect(nodes[1].onwardCount == 1 && nodes[0].incomingCount == 1)
      try await blocking { try Self.act([client, other], 1..<20) }
      // It comes back by the node that has the session, and again by the other one.
      var last = other
      for (node, attempt) in [(0, 1), (1, 2)] {
        last = try await blocking {
          let back = try PlainClient(nodes[node].url, resuming: try other.welcome, attempt: attempt)
          try back.next(#"{"t":"snap""#)
          try back.act(19 + attempt, #"{"write":"more"}"#)
          for each in [client, back] { try each.next(#"{"t":"patch""#) }
          return back
        }
      }
      #expect(try await blocking { try other.end() } == "taken 4409")
      #expect(nodes.map(\.host.sessionCount) == [1, 0])
      // What is left of a client that is gone is nothing.
      last.cut()
      #expect(await eventually { nodes[1].onwardCount == 0 && nodes[0].incomingCount == 0 })
    }
  }

  /// What it has sent together with its `hello` comes, too, be it in one message or in several.
  @Test(arguments: [false, true]) func messagesBehindTheHello_arrive(areOneMessage: Bool) async throws {
    try await ClusterHost.with(2) { nodes in
      try await blocking {
        let client = try PlainClient(nodes[0].url)
        let hello = #"{"t":"hello","share":"\#(try client.share("act"))"}"#
        let acts = (1...3).map { PlainClient.act($0, #"{"write":"\#($0)"}"#) }
        let other = try PlainClient(
          nodes[1].url, saying: areOneMessage ? "[\(([hello] + acts).joined(separator: ","))]" : hello)
        if !areOneMessage { for act in acts { try other.send(act) } }
        try other.greet()
        #expect(try other.welcome.clientID == 2)
        try other.next(#"{"t":"snap""#)
        for number in 1...3 {
          let patch = try other.next(#"{"t":"patch""#)
          #expect(patch.contains(#""n":\#(number),"#))
        }
      }
    }
  }

  /// The node that passes a client on has agreed with it on how messages are compressed: also where each refers to the ones before.
  @Test(arguments: [false, true], [0, 1 << 20]) func compression_isKept(keepsContext: Bool, threshold: Int) async throws
  {
    try await ClusterHost.with(2) { settings in
      settings.compression.keepsContext = keepsContext
      settings.compression.thresholdBytes = 0
    } _: { nodes in
      try await blocking {
        let client = try PlainClient(nodes[0].url)
        let other = try PlainClient(
          nodes[1].url, saying: #"{"t":"hello","share":"\#(try client.share("act"))"}"#,
          compression: CompressionTests.offer, threshold: threshold)
        #expect(other.socket.compression?.client.keepsContext == keepsContext)
        try other.greet()
        try other.next(#"{"t":"snap""#)
        try Self.act([client, other], 1..<20)
        #expect(nodes[1].onwardCount == 1)
      }
    }
  }

  /// Requests, and a stream of events.
  @Test func requestsOfASharedSession_arePassedOn() async throws {
    try await ClusterHost.with(2) { nodes in
      try await blocking {
        let client = try PlainClient(nodes[0].url)
        let (id, token, share) = (try client.welcome.sessionID, try client.welcome.token, try client.share("act"))
        let twin = { try TwinClient(nodes[1].url, sessionID: id, token: token) }
        #expect(try twin().view().body.contains(#""lines":[]"#))
        let acts = #"[{"to":1,"a":{"write":"a"}},{"to":1,"a":{"write":"b"}}]"#
        // The same once more changes nothing.
        for _ in 0..<2 { #expect(try twin().act("\"1\"", acts).status == 200) }
        let view = try twin().view()
        #expect(view.body.contains(#""lines":["a","b"]"#) && view.headers["Connection"] == "close")
        #expect(try twin().ask("GET", "/v1/sessions/\(id)/view", headers: ["Riblet-Token: wrong"]).status == 401)
        let joined = try TwinClient(nodes[1].url)
        #expect(try joined.create(#"{"share":"\#(share)"}"#).status == 201)
        let events = try twin()
        #expect(try events.open().status == .ok)
        #expect(try client.end() == "taken 4409")
        let again = try TwinClient(nodes[1].url, like: joined)
        #expect(try again.act("\"1\"", #"{"to":1,"a":{"write":"c"}}"#).status == 200)
        let heard = try (0..<4).compactMap { _ in try events.event()?.data }
        #expect(
          heard.contains { $0.contains(#""lines":["a","b"]"#) } || heard.contains { $0.contains(#""t":"patch""#) })
      }
      #expect(nodes.map(\.host.sessionCount) == [1, 0])
    }
  }

  /// Who a client is that shows a credential is asked again where it is passed on to; and a cookie's request is judged where it has come.
  @Test func personBehindAClient_isKnownThere() async throws {
    try await ClusterHost.with(2, Desk.apps, authenticator: Doorman()) { nodes in
      try await blocking {
        let hello = { (rest: String) in #"{"t":"hello",\#(rest),"auth":"ada"}"# }
        let client = try PlainClient(nodes[0].url, saying: hello(#""app":"known""#))
        try client.greet()
        // It is shown who it is.
        _ = try client.all(until: #"{"t":"patch""#)
        let other = try PlainClient(nodes[1].url, saying: hello(#""share":"\#(try client.share("act"))""#))
        try other.greet()
        #expect(try other.welcome.clientID == 2)
        try other.next(#"{"t":"snap""#)
        #expect(nodes[1].onwardCount == 1)
        let welcome = try other.welcome
        for (person, end) in [("eve", "forbidden"), ("ada", "")] {
          let back = try PlainClient(
            nodes[1].url, saying: PlainClient.resume(welcome, attempt: 1).dropLast() + #","auth":"\#(person)"}"#)
          try back.greet()
          #expect(back.greeting.contains(end.isEmpty ? #""resumed":true"# : #""code":"\#(end)""#), "\(back.greeting)")
        }
        let twin = try TwinClient(nodes[1].url, sessionID: welcome.sessionID, token: welcome.token)
        #expect(try twin.ask("GET", of: "/view", as: "ada").status == 200)
        let nobody = try TwinClient(nodes[1].url, like: twin)
        #expect(try nobody.ask("GET", of: "/view", as: nil).status == 401)
      }
    }
  }
}
