import CurlTransport
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// Who comes in, with a server that wants to know who its clients are.
@Suite struct AuthenticationTests {
  private func withServer(
    _ doorman: Doorman = Doorman(), _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await RibServerTests.withServer(apps: Desk.apps, authenticator: doorman, change, body)
  }

  private static func hello(_ app: String, _ auth: String?) -> String {
    #"{"t":"hello","app":"\#(app)"\#(auth.map { #","auth":"\#($0)""# } ?? "")}"#
  }

  static let entrances: [(app: String, auth: String?, end: String?, status: Int)] = [
    ("open", nil, nil, 201), ("open", "ada", nil, 201), ("known", nil, "unauthenticated 4301", 401),
    ("known", "ada", nil, 201), ("staff", nil, "unauthenticated 4301", 401), ("staff", "ada", "forbidden 4405", 403),
    ("staff", "ada:guest", "forbidden 4405", 403), ("staff", "ada:guest,clerk", nil, 201),
    ("open", "wrong", "unauthenticated 4301", 401), ("open", "old", "expired 4300", 401),
    ("open", "barred", "forbidden 4405", 403), ("open", "lost", "busy 4103", 503),
    ("open", "ada;exp=-60", "expired 4300", 401), ("open", "ada;exp=-1", nil, 201),
    ("nowhere", "ada", "unknown_app 4404", 404),
    // Of more than a person may be called, or be known to be.
    ("open", String(repeating: "a", count: 256), "failed 4403", 500),
    ("open", String(repeating: "a", count: 255), nil, 201),
    ("open", "ada:\(String(repeating: "r", count: 4097))", "failed 4403", 500),
  ]

  @Test(arguments: entrances)
  func newSession_isForWhomTheAppIsFor(app: String, auth: String?, end: String?, status: Int) async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try PlainClient(url, saying: Self.hello(app, auth))
        if let end { #expect(try client.end() == end) } else { try client.next(#"{"t":"welcome""#) }
        let twin = try TwinClient(url)
        let answer = try twin.ask(
          "POST", "/v1/sessions", #"{"app":"\#(app)"}"#, headers: auth.map { ["Authorization: Bearer \($0)"] } ?? [])
        #expect(answer.status == status, "\(answer.body)")
        // The same in the body, as `hello` has it.
        #expect(try twin.create(Self.hello(app, auth)).status == status)
        if status == 401 {
          // RFC 6750 §3.1: no credential can be wrong where there is none.
          let challenge = try #require(answer.headers["WWW-Authenticate"])
          #expect(auth == nil ? challenge == "Bearer" : challenge.hasPrefix("Bearer error=\"invalid_token\", "))
        }
        // Which end it would be over a WebSocket.
        if let code = end?.split(separator: " ").first { #expect(answer.body.contains(#""code":"\#(code)""#)) }
        #expect(status != 503 || answer.headers["Retry-After"] == "1")
      }
    }
  }

  @Test func welcome_saysThatCredentialsAreTaken_andForHowLong() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try PlainClient(url, saying: Self.hello("open", "ada;exp=100"))
        try client.greet()
        let welcome = try client.welcome
        #expect(welcome.features == [.auth])
        #expect((80_000...101_000).contains(welcome.identityExpires ?? 0))
        let forEver = try PlainClient(url, saying: Self.hello("open", "ada"))
        try forEver.greet()
        #expect(try forEver.welcome.features == [.auth] && forEver.welcome.identityExpires == nil)
      }
    }
    try await RibServerTests.withServer { _, url in
      try await blocking {
        // Nobody wants to know: a credential is not looked at, and "auth" is out of turn.
        let client = try PlainClient(url, saying: #"{"t":"hello","app":"counter","auth":"wrong"}"#)
        try client.greet()
        #expect(try client.welcome.features.isEmpty)
        try client.send(#"{"t":"auth","token":"ada"}"#)
        #expect(try client.end() == "bad_message 4400")
      }
    }
  }

  /// The authenticator is told what there is to know, and never asked on behalf of the health check or the files.
  @Test func authenticator_isToldWhoAsksForWhat() async throws {
    let doorman = Doorman()
    try await withServer(doorman) { _, url in
      try await blocking { () throws in
        let client = try PlainClient(url, saying: Self.hello("open", "ada"))
        try client.greet()
        let welcome = try client.welcome
        _ = try client.all(until: #"{"t":"patch","rev":2"#)
        _ = try PlainClient(url, joining: try client.share("act"))
        client.cut()
        let hello = PlainClient.resume(welcome, attempt: 1)
        let back = try PlainClient(url, saying: hello.dropLast() + #","auth":"ada"}"#)
        try back.greet()
        try back.send(#"{"t":"auth","token":"ada"}"#)
        _ = try back.all(until: #"{"t":"auth""#)
        let socket = try CurlWebSocket(
          url: url, headers: ["Authorization": "Bearer eve", "Origin": url, "X-Forwarded-For": "203.0.113.9"])
        try socket.send(Self.hello("open", nil))
        #expect(try socket.text()?.hasPrefix(#"{"t":"welcome""#) == true)
        #expect(try TwinClient(url).ask("GET", "/healthz").status == 200)
        let id = welcome.sessionID
        #expect(
          doorman.asked == [
            AuthenticationRequest(.begin(app: "open"), credential: .bearer("ada"), address: "127.0.0.1"),
            AuthenticationRequest(.join(session: id), credential: nil, address: "127.0.0.1"),
            AuthenticationRequest(.resume(session: id), credential: .bearer("ada"), address: "127.0.0.1"),
            AuthenticationRequest(.renew(session: id), credential: .bearer("ada"), address: "127.0.0.1"),
            AuthenticationRequest(
              .begin(app: "open"), credential: .bearer("eve"), address: "203.0.113.9", origin: url),
          ])
      }
    }
  }

  /// Whoever hangs keeps nobody from anything but his own place in the row.
  @Test func authenticatorThatHangs_holdsUpNobodyElse() async throws {
    try await withServer(Doorman(), { $0.timeouts.authenticationSeconds = 5 }) { server, url in
      try await blocking {
        let inside = try Self.comeIn(url, "ada")
        let waiting = try (0..<100).map { _ in try PlainClient(url, saying: Self.hello("open", "slow")) }
        // Who is in goes on, though all places are taken.
        for number in 1...20 {
          try inside.act(number, #""count""#)
          _ = try inside.all(until: #"{"t":"patch"#)
        }
        for client in waiting { #expect(try client.end() == "busy 4103") }
        // And the next one finds a place.
        _ = try Self.comeIn(url, "eve")
      }
    }
  }

  /// A connection that is cut while its client's person is found leaves nothing behind.
  @Test func clientThatLeavesTheRow_isNotLookedFor() async throws {
    let doorman = Doorman()
    // A server that waits for an answer does not read, and hears of the end of a connection when it gives that up.
    try await withServer(doorman, { $0.timeouts.authenticationSeconds = 2 }) { server, url in
      try await blocking {
        for _ in 0..<60 { try PlainClient(url, saying: Self.hello("open", "slow")).cut() }
      }
      #expect(await eventually { server.connectionCount == 0 })
      try await blocking { _ = try Self.comeIn(url, "eve") }
    }
  }

  /// Begins a session of somebody, who may be told to come back later on a machine with other work.
  private static func comeIn(_ url: String, _ person: String) throws -> PlainClient {
    while true {
      let client = try PlainClient(url, saying: hello("open", person))
      try client.greet()
      guard client.greeting.contains(#""code":"busy""#) else {
        try #require(client.greeting.hasPrefix(#"{"t":"welcome""#), "\(client.greeting)")
        return client
      }
    }
  }

  @Test func placeWithManyWrongCredentials_isNotLookedAtForAWhile() async throws {
    let doorman = Doorman()
    try await withServer(doorman, { $0.limits.failedSignInsPerMinute = 5 }) { _, url in
      try await blocking { () throws in
        let ask = { (address: String, credential: String) in
          try TwinClient(url).ask(
            "POST", "/v1/sessions", #"{"app":"open"}"#,
            headers: ["X-Forwarded-For: \(address)", "Authorization: Bearer \(credential)"]
          ).status
        }
        let neighbour = try CurlWebSocket(url: url, headers: ["X-Forwarded-For": "2001:db8::10"])
        try neighbour.send(Self.hello("open", "ada;exp=60"))
        for start in [#"{"t":"welcome""#, #"{"t":"snap""#] { #expect(try neighbour.text()?.hasPrefix(start) == true) }
        for number in 0..<8 {
          let status = try ask("2001:db8::\(number)", number % 2 == 0 ? "wrong" : "old")
          #expect(status == (number < 5 ? 401 : 503))
        }
        // Who comes later is not told that a credential is wrong which nobody has looked at.
        #expect(try ask("2001:db8::9", "ada") == 503)
        #expect(doorman.asked.count == 6)
        // Who was there before goes on.
        try neighbour.send(#"{"t":"auth","token":"ada;exp=90"}"#)
        var answer = ""
        while !answer.hasPrefix(#"{"t":"auth""#) { answer = try #require(try neighbour.text()) }
        #expect(try JSONValue(parsing: answer)["expires"]?.wholeNumber ?? 0 > 61_000)
        // Another place, and one without a credential, are none of it.
        #expect(try ask("203.0.113.9", "ada") == 201)
        let nobody = try TwinClient(url).ask(
          "POST", "/v1/sessions", #"{"app":"open"}"#, headers: ["X-Forwarded-For: 2001:db8::9"])
        #expect(nobody.status == 201)
      }
    }
  }

  // MARK: Cookies

  @Test func cookie_isACredential_ofAPageWithAnOrigin() async throws {
    try await withServer(Doorman(), { $0.auth.cookie = "__Host-who" }) { _, url in
      try await blocking { () throws in
        let cookie = "Cookie: a=b; __Host-who=ada:clerk; c"
        // As the requests' Host has it.
        let origin = "Origin: http://localhost"
        let ask = { (headers: [String]) in
          try TwinClient(url).ask("POST", "/v1/sessions", #"{"app":"staff"}"#, headers: headers).status
        }
        #expect(try ask([cookie]) == 403)
        #expect(try ask([cookie, origin]) == 201)
        #expect(try ask([cookie, "Origin: https://evil.example"]) == 403)
        #expect(try ask([cookie, "Sec-Fetch-Site: same-origin"]) == 201)
        #expect(try ask(["Cookie: who=ada:clerk", origin]) == 401)
        // What is said goes before what is sent along.
        #expect(try ask([cookie, origin, "Authorization: Bearer ada"]) == 403)
        let socket = try CurlWebSocket(url: url, headers: ["Cookie": "__Host-who=ada:clerk", "Origin": url])
        try socket.send(Self.hello("staff", nil))
        #expect(try socket.text()?.hasPrefix(#"{"t":"welcome""#) == true)
        #expect(throws: (any Error).self) { try CurlWebSocket(url: url, headers: ["Cookie": "__Host-who=ada:clerk"]) }
      }
    }
  }

  @Test func listedPages_maySendTheCookie_andNoServerTakesItFromAnyPage() async throws {
    let listed = "https://app.example.com"
    try await withServer(
      Doorman(),
      {
        $0.auth.cookie = "__Host-who"
        $0.origins = [listed]
      }
    ) { _, url in
      try await blocking { () throws in
        let ask = { (origin: String) in
          try TwinClient(url).ask(
            "POST", "/v1/sessions", #"{"app":"known"}"#, headers: ["Cookie: __Host-who=ada", "Origin: \(origin)"])
        }
        let answer = try ask(listed)
        #expect(answer.status == 201 && answer.headers["Access-Control-Allow-Credentials"] == "true")
        let other = try ask("https://evil.example")
        #expect(other.status == 403 && other.headers["Access-Control-Allow-Credentials"] == nil)
      }
    }
    var settings = ServerSettings()
    settings.auth.cookie = "__Host-who"
    #expect(settings.fault == nil)
    settings.origins = ["*"]
    #expect(settings.fault?.key == "origins")
    settings.auth.cookie = "who"
    #expect(settings.fault?.key == "auth.cookie")
  }

  // MARK: Budgets

  @Test func personAndAddress_haveAsManySessionsAsTheyMay() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(
      Doorman(),
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
        ($0.limits.sessionsPerIdentity, $0.limits.sessionsPerAddress) = (3, 5)
      }
    ) { server, url in
      try await blocking { () throws in
        let begin = { (address: String?, person: String?) in
          try TwinClient(url).ask(
            "POST", "/v1/sessions", #"{"app":"open"}"#,
            headers: (address.map { ["X-Forwarded-For: \($0)"] } ?? [])
              + (person.map { ["Authorization: Bearer \($0)"] } ?? []))
        }
        // Wherever somebody comes from, be it this machine.
        #expect(try (1...3).map { try begin("203.0.113.\($0)", "ada").status } == [201, 201, 201])
        for address in ["203.0.113.9", nil] {
          let answer = try begin(address, "ada")
          #expect(answer.isProblem(429) && answer.headers["Retry-After"] == "60")
        }
        #expect(try PlainClient(url, saying: Self.hello("open", "ada")).end() == "quota 4102")
        #expect(try begin(nil, "eve").status == 201)
        // Whoever it is, of one place.
        #expect(try (1...6).map { try begin("2001:db8::\($0)", "p\($0)").status } == [201, 201, 201, 201, 201, 429])
        #expect(try begin("2001:db8::7", nil).status == 429)
        #expect(try begin("2001:db9::7", nil).status == 201)
        // One that has ended makes room.
        let twin = try TwinClient(url)
        _ = try twin.create(#"{"app":"open","auth":"bob"}"#)
        #expect(try [begin(nil, "bob"), begin(nil, "bob"), begin(nil, "bob")].map(\.status) == [201, 201, 429])
        #expect(try twin.ask("DELETE", of: "", as: "bob").status == 204)
        #expect(try begin(nil, "bob").status == 201)
        #expect(try begin(nil, "bob").status == 429)
      }
      // What somebody else has begun with a stolen credential does not keep its owner out.
      try await server.signOut("bob")
      try await blocking { () throws in
        #expect(try TwinClient(url).create(#"{"app":"open","auth":"bob;iat=5"}"#).status == 201)
      }
    }
  }

  @Test func person_beginsAsManySessionsAMinuteAsItMay() async throws {
    try await withServer(Doorman(), { $0.limits.newSessionsPerMinute = 3 }) { _, url in
      try await blocking { () throws in
        let begin = { (address: String, person: String) in
          try TwinClient(url).ask(
            "POST", "/v1/sessions", #"{"app":"open"}"#,
            headers: ["X-Forwarded-For: \(address)", "Authorization: Bearer \(person)"])
        }
        #expect(try (1...3).map { try begin("203.0.113.\($0)", "ada").status } == [201, 201, 201])
        let answer = try begin("203.0.113.4", "ada")
        #expect(answer.isProblem(429))
        #expect((1...20).contains(Int(answer.headers["Retry-After"] ?? "") ?? 0))
        #expect(try PlainClient(url, saying: Self.hello("open", "ada")).end() == "quota 4102")
        #expect(try begin("203.0.113.4", "eve").status == 201)
      }
    }
  }

  @Test func person_hasAsManyConnectionsAsItMay() async throws {
    try await withServer(Doorman(), { $0.limits.connectionsPerIdentity = 2 }) { _, url in
      try await blocking { () throws in
        let twin = try TwinClient(url)
        _ = try twin.create(#"{"app":"open","auth":"ada"}"#)
        let first = try PlainClient(url, saying: Self.hello("open", "ada"))
        try first.next(#"{"t":"welcome""#)
        let stream = try TwinClient(url, like: twin)
        #expect(try stream.open(as: "ada").status.rawValue == 200)
        #expect(try PlainClient(url, saying: Self.hello("open", "ada")).end() == "quota 4102")
        #expect(try TwinClient(url, like: twin).open(as: "ada").status.rawValue == 429)
        // Requests are none, nor are other people's connections.
        #expect(try twin.ask("GET", of: "/view", as: "ada").status == 200)
        try PlainClient(url, saying: Self.hello("open", "eve")).next(#"{"t":"welcome""#)
        try first.send(#"{"t":"bye"}"#)
        #expect(try first.end() == "ended 1000")
        let second = try PlainClient(url, saying: Self.hello("open", "ada"))
        try second.next(#"{"t":"welcome""#)
        // Nor does it help to say later who it is.
        let signIn = { (person: String) in
          let client = try PlainClient(url, saying: Self.hello("open", nil))
          _ = try client.all(until: #"{"t":"snap""#)
          try client.send(#"{"t":"auth","token":"\#(person)"}"#)
          return client
        }
        #expect(try signIn("ada").end() == "quota 4102")
        second.cut()
        let bob = try [signIn("bob"), signIn("bob")]
        for client in bob { _ = try client.all(until: #"{"t":"auth""#) }
        #expect(try signIn("bob").end() == "quota 4102")
        bob[0].cut()
        var greeting = ""
        while !greeting.contains("welcome") {
          let client = try PlainClient(url, saying: Self.hello("open", "bob"))
          try client.greet()
          greeting = client.greeting
        }
      }
    }
  }
}
