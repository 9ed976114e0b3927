import CurlTransport
import Logging
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

/// Who is signed out does not come back, whatever it shows.
@Suite struct SignOutsTests {
  private func withServer(
    _ directory: TemporaryDirectory? = nil, environment: Environment = .system,
    _ change: @escaping (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await RibServerTests.withServer(
      apps: Desk.apps, environment: environment, authenticator: Doorman(),
      {
        if let directory {
          $0.store = .sqlite
          $0.stateDirectory = directory.path
        }
        change(&$0)
      }, body)
  }

  /// Begins a session, and counts once.
  private static func begin(_ url: String, _ auth: String) throws -> PlainClient {
    let client = try PlainClient(url, saying: #"{"t":"hello","app":"open","auth":"\#(auth)"}"#)
    try client.greet()
    _ = try client.all(until: #"{"t":"patch","rev":2"#)
    try client.act(1, #""count""#)
    _ = try client.all(until: #"{"t":"patch","rev":3"#)
    return client
  }

  private static func comeBack(_ url: String, _ welcome: Welcome, attempt: Int, _ auth: String) throws -> PlainClient {
    try PlainClient(url, saying: PlainClient.resume(welcome, attempt: attempt).dropLast() + #","auth":"\#(auth)"}"#)
  }

  @Test("clients that are connected, asleep, away and without a connection", arguments: [false, true])
  func person_isOutEverywhere(isDurable: Bool) async throws {
    let directory = isDurable ? try TemporaryDirectory() : nil
    try await withServer(directory, { $0.sessions.idleRestSeconds = 1 }) { server, url in
      let (asleep, away, other) = try await blocking {
        let (asleep, away) = (try Self.begin(url, "ada"), try Self.begin(url, "ada"))
        away.cut()
        return (asleep, away, try Self.begin(url, "eve"))
      }
      #expect(await eventually { server.sessionCount <= 1 })
      let (awake, twin, stream, invitation) = try await blocking { () throws in
        let awake = try Self.begin(url, "ada")
        let twin = try TwinClient(url)
        _ = try twin.create(#"{"app":"open","auth":"ada"}"#)
        let stream = try TwinClient(url, like: twin)
        _ = try stream.open(as: "ada")
        return (awake, twin, stream, try awake.share("act"))
      }
      try await server.signOut("ada")
      try await blocking { () throws in
        #expect(try awake.end() == "revoked 4402")
        // Its credential does not say when it was issued: the session tells when the client comes back.
        #expect(try asleep.end() == "moved 4002")
        var last = ""
        while let event = try stream.event() { last = event.data }
        #expect(last.hasPrefix(#"{"t":"bye","code":"revoked""#))
        for client in [awake, asleep, away] {
          #expect(try Self.comeBack(url, try client.welcome, attempt: 1, "ada;iat=60").end() == "revoked 4402")
        }
        let refusal = try twin.ask("GET", of: "/view", as: "ada;iat=60")
        #expect(refusal.isProblem(403) && refusal.body.contains(#""code":"revoked""#))
        #expect(try PlainClient(url, saying: #"{"t":"hello","share":"\#(invitation)"}"#).end() == "denied 4401")
        // A credential from before is no good for a new session either, and a new one is.
        let again = { (auth: String) in try PlainClient(url, saying: #"{"t":"hello","app":"open","auth":"\#(auth)"}"#) }
        #expect(try again("ada;iat=-60").end() == "unauthenticated 4301")
        try again("ada;iat=2").next(#"{"t":"welcome""#)
        try again("ada").next(#"{"t":"welcome""#)
        // Nobody else is concerned.
        try other.act(2, #""count""#)
        _ = try other.all(until: #"{"t":"patch","rev":4"#)
      }
    }
  }

  /// A session that rests is looked at when it is loaded: whom the person may have invited is invited no more.
  @Test(arguments: [false, true]) func invitationsOfThePerson_areVoid_alsoAtRest(isDurable: Bool) async throws {
    let directory = isDurable ? try TemporaryDirectory() : nil
    try await withServer(directory, { ($0.sessions.restSeconds, $0.sessions.idleRestSeconds) = (0, 0) }) {
      server, url in
      let invitation = try await blocking {
        let client = try Self.begin(url, "ada;iat=-60")
        let invitation = try client.share("act")
        client.cut()
        return invitation
      }
      #expect(await eventually { server.sessionCount == 0 })
      try await server.signOut("ada")
      try await blocking { () throws in
        #expect(try PlainClient(url, saying: #"{"t":"hello","share":"\#(invitation)"}"#).end() == "denied 4401")
      }
    }
  }

  /// Guests who have not said who they are leave with the one who has begun the session, and others stay.
  @Test(arguments: [false, true], [false, true])
  func guestsWithoutAName_leaveWithTheirHost(isHostAway: Bool, rests: Bool) async throws {
    let directory = try TemporaryDirectory()
    try await withServer(
      rests ? directory : nil, { if rests { ($0.sessions.restSeconds, $0.sessions.idleRestSeconds) = (0, 0) } }
    ) { server, url in
      let (host, guest, friend) = try await blocking { () throws in
        let host = try Self.begin(url, "ada")
        let guest = try PlainClient(url, joining: try host.share("act"))
        let friend = try PlainClient(
          url, saying: #"{"t":"hello","share":"\#(try host.share("act"))","auth":"bob"}"#)
        try friend.greet()
        if isHostAway { host.cut() }
        return (host, guest, friend)
      }
      #expect(await eventually { server.connectionCount == (isHostAway ? 2 : 3) })
      if rests { #expect(await eventually { server.sessionCount == 0 }) }
      try await server.signOut("ada")
      try await blocking { () throws in
        // Of who sleeps the session knows when it was bound.
        if !isHostAway { #expect(try host.end() == (rests ? "moved 4002" : "revoked 4402")) }
        // Who sleeps is told when it says something.
        if rests { try guest.act(1, #""count""#) }
        #expect(try guest.end() == "revoked 4402")
        let back = try PlainClient(url, saying: PlainClient.resume(try guest.welcome, attempt: 1))
        #expect(try back.end() == "denied 4401")
        try friend.act(1, #""count""#)
        #expect(try friend.all(until: #"{"t":"patch""#).last?.contains(#""n":1"#) == true)
      }
    }
  }

  /// Within one second somebody is signed out, signs in, and is signed out again.
  @Test func signOut_isOfThoseWhoCameBefore_alsoWithinASecond() async throws {
    try await withServer { server, url in
      for _ in 1...3 {
        let client = try await blocking { try Self.begin(url, "ada") }
        try await server.signOut("ada")
        try await blocking { () throws in #expect(try client.end() == "revoked 4402") }
      }
    }
  }

  /// Whoever has signed in by a clock that was ahead is signed out by the one that was set right.
  @Test("a client that is connected, and one at rest", arguments: [false, true])
  func clockThatIsSetBack_keepsNobodyIn(isDurable: Bool) async throws {
    let directory = isDurable ? try TemporaryDirectory() : nil
    let ahead = Atomic(3600)
    var environment = Environment.system
    let time = environment.time
    environment.time = TimeSource(
      monotonic: time.monotonic, wall: { time.wall() + ahead.load(ordering: .relaxed) })
    try await withServer(directory, environment: environment, { $0.sessions.restSeconds = 0 }) { server, url in
      let (away, here) = try await blocking {
        let away = try Self.begin(url, "ada")
        away.cut()
        return (away, try Self.begin(url, "ada"))
      }
      #expect(await eventually { server.sessionCount == 1 })
      ahead.store(0, ordering: .relaxed)
      try await server.signOut("ada")
      try await blocking { () throws in
        #expect(try here.end() == "revoked 4402")
        for client in [here, away] {
          #expect(try Self.comeBack(url, try client.welcome, attempt: 1, "ada;iat=60").end() == "revoked 4402")
        }
        // What is issued by the right clock is good for a new session.
        let next = try PlainClient(url, saying: #"{"t":"hello","app":"open","auth":"ada;iat=2"}"#)
        try next.next(#"{"t":"welcome""#)
      }
    }
  }

  @Test func signOut_outlivesTheServer() async throws {
    let directory = try TemporaryDirectory()
    let welcome = Mutex<Welcome?>(nil)
    try await withServer(directory) { server, url in
      try await blocking {
        let client = try Self.begin(url, "ada")
        client.cut()
        let said = try client.welcome
        welcome.withLock { $0 = said }
      }
      try await server.signOut("ada")
    }
    let before = try #require(welcome.withLock { $0 })
    try await withServer(directory) { _, url in
      try await blocking {
        #expect(try Self.comeBack(url, before, attempt: 1, "ada;iat=60").end() == "revoked 4402")
        let old = try PlainClient(url, saying: #"{"t":"hello","app":"open","auth":"ada;iat=-60"}"#)
        #expect(try old.end() == "unauthenticated 4301")
      }
    }
  }

  /// Two processes have one store: what the other one commits for the person after that is not written, nor answered.
  @Test func signOut_reachesOtherProcesses() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(directory) { first, _ in
      try await self.withServer(directory) { _, url in
        let (client, other) = try await blocking { (try Self.begin(url, "ada"), try Self.begin(url, "eve")) }
        try await first.signOut("ada")
        try await blocking {
          try client.act(2, #""count""#)
          // It is not told that it was done: the session is the process's no more, or the process has asked the store by now.
          let end = try client.end()
          #expect(end == "moved 4002" || end == "revoked 4402")
          #expect(try Self.comeBack(url, try client.welcome, attempt: 1, "ada;iat=60").end() == "revoked 4402")
          let old = try PlainClient(url, saying: #"{"t":"hello","app":"open","auth":"ada;iat=-60"}"#).end()
          #expect(["moved 4002", "unauthenticated 4301"].contains(old), "\(old)")
          try other.act(2, #""count""#)
          _ = try other.all(until: #"{"t":"patch","rev":4"#)
          // Nor does who was signed out join anybody there, or sign in, with a credential from before.
          let guest = try PlainClient(
            url, saying: #"{"t":"hello","share":"\#(try other.share("act"))","auth":"ada;iat=-60"}"#)
          #expect(["moved 4002", "unauthenticated 4301"].contains(try guest.end()))
        }
      }
    }
  }

  /// A riblet signs its person out, as a button of a page does.
  @Test func riblet_signsItsPersonOut() async throws {
    try await withServer { _, url in
      try await blocking {
        let (client, other) = (try Self.begin(url, "ada"), try Self.begin(url, "ada"))
        try client.act(2, #""signOut""#)
        #expect(try client.end() == "revoked 4402")
        #expect(try other.end() == "revoked 4402")
      }
    }
  }
}
