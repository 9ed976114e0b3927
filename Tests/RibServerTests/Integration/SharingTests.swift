import RibClient
import RibServer
import RibTestSupport
import Testing
import Wire
import WireHTTP

/// Several clients on one session: who may let others in, and how many.
@Suite struct SharingTests {
  private static func hello(_ token: String) -> String { #"{"t":"hello","share":"\#(token)"}"# }

  /// A client with the scope `view` hands on what it may do, and no more.
  @Test func viewer_letsOthersView_andNobodyAct() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let viewer = try PlainClient(url, joining: try first.share("view"))
        let guest = try PlainClient(url, joining: try viewer.share("view"))
        #expect(try guest.welcome.clientID == 3)
        try viewer.send(#"{"t":"share","scope":"act"}"#)
        #expect(try viewer.end() == "denied 4401")
        // Nothing of that concerns the others, and the guest is none that may act.
        try first.act(1, #""increment""#)
        for client in [first, guest] { try client.next(#"{"t":"patch","rev":2,"base":1,"#) }
        try guest.act(1, #""increment""#)
        try guest.next(#"{"t":"nack","n":1,"code":"forbidden""#)
        try guest.send(#"{"t":"share","scope":"act"}"#)
        #expect(try guest.end() == "denied 4401")
      }
    }
  }

  /// What is said of an action that no riblet was asked about names the riblet that it was for, and not the one that was asked last.
  @Test func refusalOfAViewersAction_namesTheRibletThatItWasFor() async throws {
    let log = CollectedLog()
    try await withServer(logger: log.logger) { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let viewer = try PlainClient(url, joining: try first.share("view"))
        try first.act(1, #""increment""#)
        try viewer.next(#"{"t":"patch""#)
        for (number, node) in [(1, 99), (2, 1)] {
          try viewer.send(#"{"t":"act","n":\#(number),"to":\#(node),"a":"increment"}"#)
          try viewer.next(#"{"t":"nack""#)
        }
      }
    }
    #expect(log.all.filter { $0.message == "An action was refused." }.map { $0["riblet"] } == ["none", "Counter"])
  }

  /// Whoever wants to know it is told who is connected, as soon as somebody else has joined.
  @Test func clients_areToldWhoIsConnected() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, saying: #"{"t":"hello","app":"counter","features":["clients","later"]}"#)
        try first.greet()
        try first.next(#"{"t":"snap""#)
        #expect(try first.welcome.scope == .act && !first.greeting.contains("scope"))
        let viewer = try PlainClient(url, joining: try first.share("view"))
        #expect(try viewer.welcome.scope == .view)
        let two = #"{"t":"clients","clients":[{"cid":1,"scope":"act"},{"cid":2,"scope":"view"}]}"#
        #expect(try first.next() == two)
        let token = try first.share("act")
        let third = try PlainClient(url, saying: #"{"t":"hello","share":"\#(token)","features":["clients"]}"#)
        try third.greet()
        try third.next(#"{"t":"snap""#)
        let three = two.replacing("]}", with: #",{"cid":3,"scope":"act"}]}"#)
        for client in [first, third] { #expect(try client.next() == three) }
        // Who goes without a word, comes back, and says goodbye.
        let welcome = try viewer.welcome
        viewer.cut()
        for client in [first, third] {
          #expect(try client.next() == #"{"t":"clients","clients":[{"cid":1,"scope":"act"},{"cid":3,"scope":"act"}]}"#)
        }
        let back = try PlainClient(url, resuming: welcome, attempt: 1)
        #expect(try back.welcome.scope == .view)
        for client in [first, third] { #expect(try client.next() == three) }
        try third.send(#"{"t":"bye"}"#)
        #expect(try third.end() == "ended 1000")
        #expect(try first.next() == two)
        // One who comes again at once was never away.
        let again = try PlainClient(url, resuming: welcome, attempt: 2)
        try again.next(#"{"t":"snap""#)
        try first.act(1, #""increment""#)
        for client in [first, again] { try client.next(#"{"t":"patch","rev":2,"base":1,"#) }
      }
    }
  }

  /// A view that is longer than what may wait keeps the news back, until it is read.
  @Test func clientsThatDoNotRead_areToldLater() async throws {
    try await withServer({ $0.limits.writeQueueBytes = 1 }) { _, url in
      try await blocking {
        let first = try PlainClient(url, saying: #"{"t":"hello","app":"counter","features":["clients"]}"#)
        try first.greet()
        try first.next(#"{"t":"snap""#)
        let guest = try PlainClient(
          url, saying: #"{"t":"hello","share":"\#(try first.share("view"))","features":["clients"]}"#)
        try guest.greet()
        try guest.next(#"{"t":"snap""#)
        for client in [first, guest] {
          try client.next(#"{"t":"clients","clients":[{"cid":1,"scope":"act"},{"cid":2,"#)
        }
      }
    }
  }

  /// Who sleeps while the session rests has not gone; who goes meanwhile has, and is missed once the session is awake.
  @Test func clientsOfSessionThatRests_areToldWhatHasChanged() async throws {
    try await withServer({ $0.sessions.idleRestSeconds = 1 }) { server, url in
      let (first, guest) = try await blocking {
        let first = try PlainClient(url, saying: #"{"t":"hello","app":"counter","features":["clients"]}"#)
        try first.greet()
        try first.next(#"{"t":"snap""#)
        let guest = try PlainClient(
          url, saying: #"{"t":"hello","share":"\#(try first.share("act"))","features":["clients"]}"#)
        try guest.greet()
        try guest.next(#"{"t":"snap""#)
        for client in [first, guest] {
          try client.next(#"{"t":"clients","clients":[{"cid":1,"scope":"act"},{"cid":2,"#)
        }
        return (first, guest)
      }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        try first.act(1, #""increment""#)
        for client in [first, guest] { try client.next(#"{"t":"patch","rev":2,"#) }
      }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        guest.cut()
        // Nothing was said of the other one meanwhile.
        try first.act(2, #""increment""#)
        try first.next(#"{"t":"patch","rev":3,"#)
        #expect(try first.next() == #"{"t":"clients","clients":[{"cid":1,"scope":"act"}]}"#)
      }
    }
  }

  /// The same over HTTP.
  @Test func streams_areToldWhoIsConnected() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let guest = try TwinClient(url)
        let created = try guest.create(#"{"share":"\#(try first.share("view"))"}"#)
        #expect(created.body.contains(#""scope":"view""#))
        _ = try guest.open(headers: ["Riblet-Features: clients"])
        var data = try guest.event()?.data
        while let text = data, !text.hasPrefix(#"{"t":"clients""#) { data = try guest.event()?.data }
        #expect(data == #"{"t":"clients","clients":[{"cid":1,"scope":"act"},{"cid":2,"scope":"view"}]}"#)
      }
    }
  }

  /// One that has said `bye` leaves its place to the next.
  @Test func session_takes64Clients() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let guest = try PlainClient(url, joining: try first.share("act"))
        var guests: [PlainClient] = []
        for _ in 3...64 { guests.append(try PlainClient(url, joining: try first.share("view"))) }
        #expect(try guests.last?.welcome.clientID == 64)
        let token = try first.share("view")
        #expect(try PlainClient(url, saying: Self.hello(token)).end() == "full 4100")
        let refused = try TwinClient(url).create(#"{"share":"\#(token)"}"#)
        #expect(refused.isProblem(503) && refused.headers["Retry-After"] == "1")
        try guest.send(#"{"t":"bye"}"#)
        #expect(try guest.end() == "ended 1000")
        guests.append(try PlainClient(url, joining: token))
        #expect(try guests.last?.welcome.clientID == 65)
        #expect(try PlainClient(url, saying: Self.hello(try first.share("view"))).end() == "full 4100")
        try first.act(1, #""increment""#)
        for client in guests + [first] { try client.next(#"{"t":"patch","rev":2,"base":1,"#) }
      }
    }
  }

  /// Nobody is left who may act: those who look on are told, and the session is no more.
  @Test(arguments: [false, true]) func lastClientThatMayAct_endsTheSession(byRequest: Bool) async throws {
    try await withServer { server, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let second = try PlainClient(url, joining: try first.share("act"))
        let viewer = try PlainClient(url, joining: try first.share("view"))
        let leave = { (client: PlainClient) in
          let welcome = try client.welcome
          if byRequest {
            let twin = try TwinClient(url, sessionID: welcome.sessionID, token: welcome.token)
            #expect(try twin.end().status == 204)
          } else {
            try client.send(#"{"t":"bye"}"#)
          }
          #expect(try client.end() == "ended 1000")
        }
        try leave(first)
        // Somebody goes on.
        try second.act(1, #""increment""#)
        for client in [second, viewer] { try client.next(#"{"t":"patch","rev":2,"base":1,"#) }
        try leave(second)
        #expect(try viewer.end() == "ended 1000")
        let welcome = try viewer.welcome
        #expect(try PlainClient(url, resuming: welcome, attempt: 1).end() == "none 4200")
      }
      #expect(await eventually { server.sessionCount == 0 })
    }
  }

  @Test func viewersGuests_leaveRoomForTheOwners() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let mine = try first.share("act")
        let viewer = try PlainClient(url, joining: try first.share("view"))
        for _ in 0..<20 { _ = try viewer.share("view") }
        for _ in 3...48 { _ = try PlainClient(url, joining: try viewer.share("view")) }
        #expect(try PlainClient(url, saying: Self.hello(try viewer.share("view"))).end() == "full 4100")
        #expect(try PlainClient(url, joining: mine).welcome.clientID == 49)
      }
    }
  }

  @Test func seventeenthToken_voidsTheOldest() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let tokens = try (0..<17).map { _ in try first.share("view") }
        #expect(try PlainClient(url, saying: Self.hello(tokens[0])).end() == "denied 4401")
        for token in tokens.dropFirst() { _ = try PlainClient(url, joining: token) }
      }
    }
  }
}
