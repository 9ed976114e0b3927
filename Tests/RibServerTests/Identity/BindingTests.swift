import CurlTransport
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

/// A token opens a session for the person alone who has it.
@Suite struct BindingTests {
  func withServer(
    _ change: @escaping (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await RibServerTests.withServer(apps: Desk.apps, authenticator: Doorman(), change, body)
  }

  /// Begins a session of a person, or of nobody, and takes the first view.
  static func begin(_ url: String, _ auth: String?, app: String = "open") throws -> PlainClient {
    let client = try PlainClient(
      url,
      saying: #"{"t":"hello","app":"\#(app)","client":{"locale":"de-AT","timeZone":"Europe/Vienna"}"#
        + "\(auth.map { #","auth":"\#($0)""# } ?? "")}")
    try client.greet()
    try client.next(#"{"t":"snap""#)
    return client
  }

  static func comeBack(
    _ url: String, _ welcome: Welcome, attempt: Int, _ auth: String?, epoch: String = "", revision: Int = 0
  ) throws -> PlainClient {
    let hello = PlainClient.resume(welcome, attempt: attempt, epoch: epoch, revision: revision)
    return try PlainClient(url, saying: hello.dropLast() + "\(auth.map { #","auth":"\#($0)""# } ?? "")}")
  }

  static let strangers: [(auth: String?, end: String, status: Int)] = [
    (nil, "unauthenticated 4301", 401), ("eve", "forbidden 4405", 403), ("wrong", "unauthenticated 4301", 401),
  ]

  @Test("a stolen token opens nothing, be the session in memory or at rest", arguments: strangers, [false, true])
  func stolenToken_opensNothing(_ stranger: (auth: String?, end: String, status: Int), rests: Bool) async throws {
    try await withServer({ if rests { ($0.sessions.restSeconds, $0.sessions.idleRestSeconds) = (0, 0) } }) {
      server, url in
      let (client, welcome) = try await blocking { () throws in
        let client = try Self.begin(url, "ada")
        try client.act(1, #""count""#)
        _ = try client.all(until: #"{"t":"patch","rev":3"#)
        return (client, try client.welcome)
      }
      if rests { #expect(await eventually { server.sessionCount == 0 }) }
      try await blocking { () throws in
        #expect(try Self.comeBack(url, welcome, attempt: 1, stranger.auth).end() == stranger.end)
        #expect(
          try Self.comeBack(url, welcome, attempt: 1, stranger.auth, epoch: welcome.epoch, revision: 3).end()
            == stranger.end)
        let twin = try TwinClient(url, sessionID: welcome.sessionID, token: welcome.token)
        #expect(try twin.ask("GET", of: "/view", as: stranger.auth).status == stranger.status)
        #expect(try twin.ask("DELETE", of: "", as: stranger.auth).status == stranger.status)
        #expect(try twin.ask("GET", of: "/events", as: stranger.auth).status == stranger.status)
        // None of that has cost the client its connection, nor its number.
        try client.act(2, #""count""#)
        _ = try client.all(until: #"{"t":"patch","rev":4"#)
        client.cut()
        try Self.comeBack(url, welcome, attempt: 1, "ada").next(#"{"t":"welcome""#)
        #expect(try twin.ask("GET", of: "/view", as: "ada").status == 200)
      }
    }
  }

  /// A session token is no credential, nor a credential a session token.
  @Test func tokens_areNotTakenForEachOther() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let welcome = try Self.begin(url, "ada").welcome
        let path = "/v1/sessions/\(welcome.sessionID)/view"
        let twin = try TwinClient(url)
        for headers in [
          ["Authorization: Bearer \(welcome.token)"], ["Riblet-Token: ada", "Authorization: Bearer ada"],
          ["Riblet-Token: ", "Authorization: Bearer ada"],
        ] {
          let answer = try twin.ask("GET", path, headers: headers)
          #expect(answer.isProblem(401) && answer.headers["WWW-Authenticate"] == "Riblet-Token", "\(answer)")
        }
        let two = try twin.ask("GET", path, headers: ["Riblet-Token: a", "Riblet-Token: b"])
        #expect(two.isProblem(400))
      }
    }
  }

  // MARK: Signing in

  /// Somebody has the session before: whoever signs in to it gets a token of his own, and nobody else stays.
  @Test func signIn_givesANewToken_andTheSessionToNobodyElse() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try Self.begin(url, nil)
        let welcome = try client.welcome
        let guest = try PlainClient(url, joining: try client.share("act"))
        let invitation = try client.share("act")
        try client.send(#"{"t":"auth","token":"ada:clerk;exp=100"}"#)
        let answer = try JSONValue(parsing: try #require(try client.all(until: #"{"t":"auth""#).last))
        let token = try #require(answer["token"]?.string)
        #expect(token != welcome.token && token.count == 64 && answer["expires"] != nil)
        #expect(try guest.end() == "revoked 4402")
        #expect(try PlainClient(url, saying: #"{"t":"hello","share":"\#(invitation)"}"#).end() == "denied 4401")
        // It sees who it is, and goes on where it was.
        _ = try client.all(until: #"{"t":"patch","rev":2"#)
        try client.act(1, #""count""#)
        let patch = try #require(try client.all(until: #"{"t":"patch","rev":3"#).last)
        #expect(patch.contains(#""n":1"#))
        client.cut()
        // Its new token may have been lost on the way: the old one is good for that person, and gets a newer one.
        #expect(try Self.comeBack(url, welcome, attempt: 1, nil).end() == "unauthenticated 4301")
        #expect(try Self.comeBack(url, welcome, attempt: 1, "eve").end() == "forbidden 4405")
        let back = try Self.comeBack(url, welcome, attempt: 1, "ada:clerk")
        try back.greet()
        var newer = welcome
        newer.token = try back.welcome.token
        #expect(newer.token != welcome.token && newer.token != token)
        back.cut()
        // Once it has shown that, the old one is void.
        let again = try Self.comeBack(url, newer, attempt: 2, "ada:clerk")
        try again.greet()
        #expect(try again.welcome.token == newer.token)
        #expect(try Self.comeBack(url, welcome, attempt: 3, "ada:clerk").end() == "denied 4401")
      }
    }
  }

  @Test func signIn_whileComingBack_orOverHTTP() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let welcome = try Self.begin(url, nil).welcome
        let back = try Self.comeBack(url, welcome, attempt: 1, "ada")
        try back.greet()
        #expect(try back.welcome.token != welcome.token && back.welcome.resumed)
        let twin = try TwinClient(url)
        _ = try twin.create(#"{"app":"open"}"#)
        #expect(try twin.ask("PUT", of: "/auth", as: nil).status == 401)
        #expect(try twin.ask("PUT", of: "/auth", #"{"auth":5}"#, as: nil).status == 400)
        let answer = try twin.ask("PUT", of: "/auth", #"{"auth":"ada;exp=50"}"#, as: nil)
        let token = try #require(try answer.json["token"]?.string)
        #expect(answer.status == 200 && token != twin.token)
        let owner = try TwinClient(url, sessionID: twin.sessionID, token: token)
        #expect(try owner.ask("GET", of: "/view", as: "ada").status == 200)
        // The second time there is nothing new.
        let same = try owner.ask("PUT", of: "/auth", as: "ada")
        #expect(same.status == 200 && !same.body.contains("token") && !same.body.contains("expires"))
        #expect(try owner.ask("PUT", of: "/auth", as: "eve").status == 403)
        // The former token opens nothing, once the new one was shown.
        #expect(try twin.ask("GET", of: "/view", as: "ada").status == 401)
      }
    }
  }

  /// Whoever has planted a session in a program without a connection is not there any more when that signs in.
  @Test func signInOverHTTP_isNotOfWhoeverIsConnected() async throws {
    try await withServer({ ($0.sessions.restSeconds, $0.sessions.idleRestSeconds) = (0, 3600) }) { server, url in
      let (planted, token) = try await blocking { () throws in
        let thief = try Self.begin(url, nil)
        let planted = try thief.welcome
        let victim = try TwinClient(url, sessionID: planted.sessionID, token: planted.token)
        let answer = try victim.ask("PUT", of: "/auth", as: "ada")
        #expect(try thief.end() == "moved 4002")
        return (planted, try #require(try answer.json["token"]?.string))
      }
      // Nobody is connected to it.
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking { () throws in
        #expect(try Self.comeBack(url, planted, attempt: 1, nil).end() == "unauthenticated 4301")
        #expect(try Self.comeBack(url, planted, attempt: 2, "eve").end() == "forbidden 4405")
        let owner = try TwinClient(url, sessionID: planted.sessionID, token: token)
        #expect(try owner.ask("GET", of: "/view", as: "ada").status == 200)
      }
    }
  }

  /// A credential over HTTP that was made before the one of the connection does not end that sooner.
  @Test func olderCredentialOverHTTP_changesNothing() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try Self.begin(url, "ada;iat=0;exp=100")
        let welcome = try client.welcome
        let twin = try TwinClient(url, sessionID: welcome.sessionID, token: welcome.token)
        let answer = try twin.ask("PUT", of: "/auth", as: "ada;iat=-20;exp=40")
        #expect(try answer.status == 200 && answer.json["expires"]?.wholeNumber ?? 0 > 50_000)
      }
    }
  }

  /// A guest that signs in does not take the session from its owner.
  @Test func guestThatSignsIn_isItself() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let owner = try Self.begin(url, "ada")
        _ = try owner.all(until: #"{"t":"patch","rev":2"#)
        let guest = try PlainClient(url, joining: try owner.share("act"))
        try guest.send(#"{"t":"auth","token":"bob:boss"}"#)
        try guest.next(#"{"t":"auth","token":""#)
        try guest.act(1, #""close""#)
        try guest.next(#"{"t":"patch""#)
        try owner.act(1, #""close""#)
        #expect(try owner.all(until: #"{"t":"nack""#).last?.contains(#""code":"forbidden""#) == true)
      }
    }
  }

  // MARK: What riblets are told

  @Test func session_knowsWhoHasBegunIt_alsoAfterARestart() async throws {
    let directory = try TemporaryDirectory()
    let settings: @Sendable (inout ServerSettings) -> Void = {
      $0.store = .sqlite
      $0.stateDirectory = directory.path
    }
    let welcome = try await {
      let box = Mutex<Welcome?>(nil)
      try await withServer(settings) { _, url in
        try await blocking { () throws in
          let client = try Self.begin(url, "ada:boss,clerk")
          let patch = try client.next(#"{"t":"patch","rev":2"#)
          #expect(patch.contains("ada") && patch.contains(#"["boss","clerk"]"#))
          try client.act(1, #""count""#)
          try client.next(#"{"t":"patch","rev":3"#)
          let welcome = try client.welcome
          box.withLock { $0 = welcome }
        }
      }
      return try #require(box.withLock { $0 })
    }()
    try await withServer(settings) { _, url in
      try await blocking { () throws in
        #expect(try Self.comeBack(url, welcome, attempt: 1, nil).end() == "unauthenticated 4301")
        let back = try Self.comeBack(url, welcome, attempt: 2, "ada:boss,clerk")
        let snap = try #require(try back.all(until: #"{"t":"snap""#).last)
        for text in [#""who":"ada""#, #""roles":["boss","clerk"]"#, #""language":"de-AT""#, #""zone":"Europe/Vienna""#]
        {
          #expect(snap.contains(text), "\(snap)")
        }
      }
    }
  }
}
