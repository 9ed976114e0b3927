import CurlTransport
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

/// How a client shows a new credential, and what becomes of one that does not.
extension BindingTests {
  @Test func renewal_isOfTheSamePerson_andForTheSameApp() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        for (auth, end) in [
          ("eve:clerk", "forbidden 4405"), ("ada:guest", "forbidden 4405"), ("wrong", "unauthenticated 4301"),
          ("old", "expired 4300"),
        ] {
          let client = try Self.begin(url, "ada:clerk", app: "staff")
          try client.act(1, #""count""#)
          try client.send(#"{"t":"auth","token":"\#(auth)"}"#)
          #expect(try client.end() == end)
          // The session is untouched.
          try Self.comeBack(url, try client.welcome, attempt: 1, "ada:clerk").next(#"{"t":"welcome""#)
        }
      }
    }
  }

  /// Its identity is as good as before, and it is told so.
  @Test func renewalThatCannotBeJudged_changesNothing() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try Self.begin(url, "ada:boss;exp=100")
        try client.send(#"{"t":"auth","token":"lost"}"#)
        #expect(try client.all(until: #"{"t":"auth","expires":"#).count < 4)
        try client.act(1, #""close""#)
        #expect(try client.all(until: #"{"t":"patch""#).last?.contains(#""n":"#) == true)
      }
    }
  }

  /// It would take itself for signed in, and show nothing more.
  @Test func signInThatCannotBeJudged_isTriedAgain() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try Self.begin(url, nil)
        try client.send(#"{"t":"auth","token":"lost"}"#)
        #expect(try client.end() == "busy 4103")
        let back = try Self.comeBack(url, try client.welcome, attempt: 1, "ada")
        try back.greet()
        #expect(try back.welcome.token != client.welcome.token)
      }
    }
  }

  @Test func olderCredential_doesNotWin() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try Self.begin(url, "ada:clerk;iat=-10;exp=100")
        _ = try client.all(until: #"{"t":"patch","rev":2"#)
        try client.send(#"{"t":"auth","token":"ada:boss;iat=-5;exp=200"}"#)
        let renewed = try client.all(until: #"{"t":"auth""#)
        try client.send(#"{"t":"auth","token":"ada;iat=-20;exp=1"}"#)
        let expires = try JSONValue(parsing: try #require(try client.all(until: #"{"t":"auth""#).last))["expires"]
        guard case .integer(100_000...201_000)? = expires else {
          Issue.record("\(renewed) \(expires?.text ?? "")")
          return
        }
        try client.act(1, #""close""#)
        _ = try client.all(until: #"{"t":"patch","rev":3"#)
      }
    }
  }

  /// A session that rests is not woken by a renewal, and is told of the person when it wakes.
  @Test func renewal_wakesNobody() async throws {
    try await withServer({ $0.sessions.idleRestSeconds = 0 }) { server, url in
      let client = try await blocking { try Self.begin(url, "ada;exp=100") }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        try client.send(#"{"t":"auth","token":"ada:boss;exp=200"}"#)
        _ = try client.all(until: #"{"t":"auth""#)
      }
      #expect(server.sessionCount == 0)
      try await blocking {
        try client.act(1, #""close""#)
        let texts = try client.all(until: #"{"t":"patch"#)
        #expect(texts.last?.contains(#""n":1"#) == true, "\(texts)")
        #expect(try client.next(#"{"t":"patch""#).contains("boss"))
      }
    }
  }

  /// Nothing is done for an identity that is over; a new one goes on where it was.
  @Test(arguments: [false, true]) func identityThatIsOver_endsTheConnection(rests: Bool) async throws {
    try await withServer({
      $0.auth.graceSeconds = 0
      if rests { $0.sessions.idleRestSeconds = 0 }
    }) { server, url in
      try await blocking { () throws in
        let client = try Self.begin(url, "ada;exp=5")
        let welcome = try client.welcome
        #expect(try client.end() == "expired 4300")
        #expect(try Self.comeBack(url, welcome, attempt: 1, "ada;exp=-1").end() == "expired 4300")
        let back = try Self.comeBack(url, welcome, attempt: 1, "ada;exp=60")
        try back.greet()
        try back.act(1, #""count""#)
        #expect(try back.all(until: #"{"t":"patch""#).last?.contains(#""n":1"#) == true)
      }
    }
  }

  /// Without a new credential, and without being woken.
  @Test(arguments: [false, true]) func personWhoIsNotLetInAnyMore_isEnded(rests: Bool) async throws {
    let doorman = Doorman()
    try await RibServerTests.withServer(
      apps: Desk.apps, authenticator: doorman,
      {
        $0.auth.recheckSeconds = 1
        if rests { ($0.sessions.restSeconds, $0.sessions.idleRestSeconds) = (0, 0) }
      }
    ) { server, url in
      let (ada, bob, patient) = try await blocking { () throws in
        try (Self.begin(url, "ada"), Self.begin(url, "bob"), Self.begin(url, "patient"))
      }
      if rests { #expect(await eventually { server.sessionCount == 0 }) }
      doorman.bar("ada")
      try await blocking { () throws in
        #expect(try ada.end() == "unauthenticated 4301")
        // Others go on, also where there is no answer; and what they show is judged meanwhile.
        for (client, credential) in [(bob, "bob"), (patient, "patient")] {
          try client.send(#"{"t":"auth","token":"\#(credential)"}"#)
          _ = try client.all(until: #"{"t":"auth""#)
        }
        // What is shown then is for the authenticator to judge, and this one takes it.
        let back = try Self.comeBack(url, try ada.welcome, attempt: 1, "ada")
        try back.greet()
        #expect(back.greeting.hasPrefix(#"{"t":"welcome""#))
      }
    }
  }

  /// Whoever does not answer in time is not asked at once again: that would fill the rows for ever.
  @Test func authenticatorThatHangs_isAskedOncePerInterval() async throws {
    let doorman = Doorman()
    try await RibServerTests.withServer(
      apps: Desk.apps, authenticator: doorman,
      { ($0.auth.recheckSeconds, $0.timeouts.authenticationSeconds) = (4, 1) }
    ) { _, url in
      let client = try await blocking { () throws in try Self.begin(url, "patient") }
      #expect(await eventually { doorman.checkTimes.count == 2 })
      #expect(doorman.checkTimes[1] - doorman.checkTimes[0] > .milliseconds(2500))
      client.cut()
    }
  }

  @Test func eventStream_endsWithTheIdentity_unlessARequestRenewsIt() async throws {
    try await withServer({ $0.auth.graceSeconds = 0 }) { _, url in
      try await blocking { () throws in
        let twin = try TwinClient(url)
        _ = try twin.ask("POST", "/v1/sessions", #"{"app":"open"}"#)
        let created = try twin.create(#"{"app":"open","auth":"ada;exp=60"}"#)
        #expect(created.status == 201)
        let stream = try TwinClient(url, like: twin)
        #expect(try stream.open(as: "ada;exp=2").status.rawValue == 200)
        var last = ""
        while let event = try stream.event() { last = event.data }
        #expect(last.hasPrefix(#"{"t":"bye","code":"expired""#))
        let renewed = try TwinClient(url, like: twin)
        _ = try renewed.open(as: "ada;exp=2")
        #expect(try twin.ask("GET", of: "/view", as: "ada;exp=60").status == 200)
        let watcher = try TwinClient(url, like: twin)
        for number in 1...4 {
          #expect(try watcher.act("\"\(number)\"", #"{"to":"","a":"count"}"#, as: "ada;exp=60").status == 200)
          while let event = try renewed.event(), !event.data.contains(#""n":\#(number)"#) {}
        }
      }
    }
  }
}
