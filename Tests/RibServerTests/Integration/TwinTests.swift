import CurlTransport
import Foundation
import RibServer
import Showcase
import Testing
import Wire
import WireHTTP

/// Sessions without a WebSocket: the HTTP twin.
@Suite struct TwinTests {
  @Test(arguments: ServerSettings.Store.own)
  func session_isMadeActedOnShownAndEnded(_ store: ServerSettings.Store) async throws {
    let directory = try TemporaryDirectory()
    try await withServer({
      $0.store = store
      $0.stateDirectory = directory.path
    }) { server, url in
      try await blocking {
        let client = try TwinClient(url)
        let made = try client.create()
        #expect(made.status == 201 && made.headers["Location"] == "/v1/sessions/\(client.sessionID)")
        #expect(made.headers["Cache-Control"] == "no-store, no-transform")
        let welcome = try made.json
        #expect(welcome["durability"] == .string(store == .sqlite ? "disk" : "none") && welcome["n"] == .integer(0))
        #expect(welcome["view"]?["nodes"]?["1"]?["state"]?["count"] == .integer(0))
        let done = try client.act(#""1""#, #"[{"to":"","a":"increment"},{"to":1,"a":"explode"}]"#)
        #expect(done.status == 200)
        #expect(try done.json["rev"] == .integer(2) && done.json["n"] == .integer(2))
        #expect(done.body.contains(#""nacks":[{"n":2,"code":"bad_action""#))
        // What is sent again is answered again, and not done again.
        #expect(try client.act(#""1""#, #"[{"to":"","a":"increment"},{"to":1,"a":"explode"}]"#).body == done.body)
        #expect(try client.act(#""3""#, #"{"to":"","a":"increment"}"#).body == #"{"rev":3,"n":3,"nacks":[]}"#)
        let view = try client.view()
        #expect(view.status == 200 && view.body.contains(#""count":2"#))
        let tag = try #require(view.headers["ETag"])
        #expect(tag == "\"\(welcome["epoch"]?.string ?? "").3\"")
        for known in [
          ["If-None-Match: \(tag) , \"x\""], ["If-None-Match: \"x\",\t\(tag)"], ["If-None-Match: \"a,b\",,W/\(tag)"],
          ["If-None-Match: \"x\"", "If-None-Match: \(tag)"],
        ] {
          let answer = try client.ask(
            "GET", "/v1/sessions/\(client.sessionID)/view", headers: ["Riblet-Token: \(client.token)"] + known)
          #expect(answer.status == 304, "\(known)")
        }
        let same = try client.view("If-None-Match: \"x\", W/\(tag)")
        #expect(same.status == 304 && same.body.isEmpty)
        #expect(try client.end().status == 204)
        #expect(try client.view().isProblem(404))
      }
      #expect(await eventually { server.sessionCount == 0 })
    }
  }

  @Test func back_isAnActionLikeAnother() async throws {
    try await withServer(apps: Showcase.apps) { _, url in
      try await blocking {
        let client = try TwinClient(url)
        _ = try client.create(#"{"app":"tabs"}"#)
        let there = #"{"t":"act","to":"tabs[0]/pages[0]","a":"transportHomeTapped"}"#
        #expect(try client.act(#""1""#, #"[\#(there),{"t":"back","to":1}]"#).json["n"] == .integer(2))
        #expect(try client.view().json["nodes"]?["2"]?["state"]?["canGoBack"] == .bool(false))
        // Nothing is left to be left; that is no mistake.
        #expect(try client.act(#""3""#, #"{"t":"back","to":""}"#).body == #"{"rev":3,"n":3,"nacks":[]}"#)
        for body in [#"{"t":"back"}"#, #"{"t":"ping","to":1}"#, #"{"t":"act","to":1}"#] {
          #expect(try client.act(#""4""#, body).isProblem(400), "\(body)")
        }
      }
    }
  }

  @Test func wrongRequests_areProblems() async throws {
    try await withServer { _, url in
      try await blocking {
        let client = try TwinClient(url)
        for (hello, status, says) in [
          ("{", 400, "The body is JSON, this is not: "), ("", 400, "The body is JSON"), ("[]", 400, "where it neither"),
          ("{}", 400, "where it neither joins nor resumes"), (#"{"app":"nothing"}"#, 404, "There is no app"),
          (#"{"share":"nobody.x"}"#, 403, "The session that this token was for is not there"),
          (#"{"app":"\#(String(repeating: "a", count: 65_536))"}"#, 413, "longer than 65536 bytes"),
          (#"{"resume":{"sid":"x","cid":1,"token":"y","try":1,"epoch":"","rev":0}}"#, 400, "needs no hello"),
        ] {
          let answer = try TwinClient(url).create(hello)
          #expect(answer.isProblem(status) && answer.body.contains(says), "\(hello.prefix(99)): \(answer)")
        }
        #expect(try client.create().status == 201)
        for key in ["1", #""0""#, #""x""#, "", #""1"2"#] {
          let answer = try client.act(key, #"{"to":"","a":"increment"}"#)
          #expect(answer.isProblem(400), "\(key): \(answer)")
        }
        #expect(try client.act(#""2""#, #"{"to":"","a":"increment"}"#).isProblem(409))
        for (body, says) in [
          ("", "The body is JSON"), ("7", "An action is an object"), (#"{"a":"increment"}"#, #"needs \"to\""#),
          (#"{"to":""}"#, #"needs \"a\""#),
          ("[[]]", "this is an array"),
          (#"[{"to":"","a":"increment"},{"to":""}]"#, "Of the request's actions, number 2: "),
        ] {
          let answer = try client.act(#""1""#, body)
          #expect(answer.isProblem(400) && answer.body.contains(says), "\(body): \(answer)")
        }
        #expect(try client.view().body.contains(#""count":0"#))
        let path = "/v1/sessions/\(client.sessionID)/view"
        let former = "Authorization: Bearer \(client.token)"
        for headers in [[], ["Authorization: Basic x"], [former], ["Riblet-Token: wrong"]] {
          let answer = try client.ask("GET", path, headers: headers)
          #expect(answer.isProblem(401) && answer.headers["WWW-Authenticate"] == "Riblet-Token")
        }
        #expect(try client.ask("GET", "/v1/sessions/x/nothing").isProblem(404))
        let other = try client.ask("PUT", path)
        #expect(other.isProblem(405) && other.headers["Allow"] == "GET, HEAD, OPTIONS")
      }
    }
  }

  @Test func events_tellWhatAWebSocketIsTold() async throws {
    try await withServer { _, url in
      try await blocking {
        let client = try TwinClient(url)
        let epoch = try client.create().json["epoch"]?.string ?? ""
        let stream = try TwinClient(url, like: client)
        let head = try stream.open()
        #expect(head.status == .ok && head.headers["Content-Type"] == "text/event-stream")
        let welcome = try #require(try stream.event())
        #expect(welcome.id == nil && welcome.data.hasPrefix(#"{"t":"welcome""#))
        let snap = try #require(try stream.event())
        #expect(snap.id == "\(epoch).1" && snap.data.hasPrefix(#"{"t":"snap""#))
        for number in 1...2 { _ = try client.act("\"\(number)\"", #"{"to":"","a":"increment"}"#) }
        for number in 1...2 {
          let patch = try #require(try stream.event())
          #expect(patch.id == "\(epoch).\(number + 1)")
          #expect(patch.data.hasPrefix(#"{"t":"patch","rev":\#(number + 1),"base":\#(number),"n":\#(number),"#))
        }
        // The next one takes its place, and is told what it has missed.
        let next = try TwinClient(url, like: client)
        _ = try next.open(after: "\(epoch).2")
        let bye = try #require(try stream.event())
        #expect(bye.id == nil && bye.data.contains(#""code":"taken""#))
        #expect(try stream.event() == nil)
        #expect(try next.event()?.data.hasPrefix(#"{"t":"welcome""#) == true)
        #expect(try next.event()?.id == "\(epoch).3")
        _ = try client.act(#""3""#, #"{"to":"","a":"wrong"}"#)
        let nack = try #require(try next.event())
        #expect(nack.id == nil && nack.data.hasPrefix(#"{"t":"nack","n":3,"#))
        let wrong = try TwinClient(url).ask(
          "GET", "/v1/sessions/\(client.sessionID)/events", headers: ["Riblet-Token: wrong"])
        #expect(wrong.isProblem(401))
        #expect(try client.end().status == 204)
        #expect(try next.event()?.data.contains(#""code":"ended""#) == true)
      }
    }
  }

  /// A request for events that was on its way for long does not overtake the client's newer connection.
  @Test(arguments: ServerSettings.Store.own)
  func events_ofAnOlderAttempt_areRefused(_ store: ServerSettings.Store) async throws {
    let directory = try TemporaryDirectory()
    try await withServer({
      $0.store = store
      $0.stateDirectory = directory.path
    }) { _, url in
      try await blocking {
        let client = try PlainClient(url, app: "counter")
        let welcome = try client.welcome
        let twin = { try TwinClient(url, sessionID: welcome.sessionID, token: welcome.token) }
        let socket = try PlainClient(url, resuming: welcome, attempt: 2)
        try socket.next(#"{"t":"snap""#)
        #expect(try client.end() == "taken 4409")
        for attempt in ["1", "2"] { #expect(try twin().open(attempt: attempt).status == .conflict) }
        for attempt in ["0", "-3", "x", "", "1.5", "+3", "9007199254740992"] {
          #expect(try twin().open(attempt: attempt).status == .badRequest, "\(attempt)")
        }
        // Nothing has changed.
        try socket.act(1, #""increment""#)
        try socket.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
        let stream = try twin()
        #expect(try stream.open(attempt: "3").status == .ok)
        #expect(try socket.end() == "taken 4409")
        #expect(try stream.event()?.data.hasPrefix(#"{"t":"welcome""#) == true)
        // Both count together.
        #expect(try PlainClient(url, resuming: welcome, attempt: 3).end() == "none 4410")
        #expect(try twin().open(attempt: "3").status == .conflict)
        // Without a number it is as it was.
        #expect(try twin().open().status == .ok)
        while let event = try stream.event() {
          guard event.data.hasPrefix(#"{"t":"bye""#) else { continue }
          #expect(event.data.contains(#""code":"taken""#))
          break
        }
      }
    }
  }

  /// Whatever stands in Last-Event-ID, the client is shown all there is.
  @Test(arguments: ["", "x", ".", "E.1.2", "E.-1", "E.9223372036854775807", "E.9223372036854775808", "E.1e3"])
  func events_afterNoEventOfOurs_beginAnew(_ last: String) async throws {
    try await withServer { _, url in
      try await blocking {
        let client = try TwinClient(url)
        let epoch = try client.create().json["epoch"]?.string ?? ""
        for number in 1...2 { _ = try client.act("\"\(number)\"", #"{"to":"","a":"increment"}"#) }
        for last in [last, last.replacing("E", with: epoch)] {
          let stream = try TwinClient(url, like: client)
          #expect(try stream.open(after: last).status == .ok)
          _ = try stream.event()
          // A revision that is a part of ours is one, whatever else it says.
          let snap = try #require(try stream.event())
          #expect(snap.id == "\(epoch).3" && snap.data.hasPrefix(#"{"t":"snap""#), "\(last)")
        }
      }
    }
  }

  /// A body is one message to the limits of a client, and its actions are as many as they are.
  @Test func manyActionsAtOnce_areLimited() async throws {
    try await withServer({ $0.limits.messageBytes = 1 << 20 }) { _, url in
      try await blocking {
        let client = try TwinClient(url)
        _ = try client.create()
        let action = #"{"to":"","a":"increment"}"#
        let body = { (count: Int) in "[\(Array(repeating: action, count: count).joined(separator: ","))]" }
        #expect(try client.act(#""1""#, body(257)).isProblem(413))
        #expect(try client.act(#""1""#, body(256)).body == #"{"rev":257,"n":256,"nacks":[]}"#)
      }
    }
  }

  /// Whoever asks for a session is still there when the answer is written, however soon it may rest.
  @Test(arguments: ServerSettings.Store.own)
  func sessionThatMayRestAtOnce_isAnswered(_ store: ServerSettings.Store) async throws {
    let directory = try TemporaryDirectory()
    try await withServer({
      $0.store = store
      $0.stateDirectory = directory.path
      $0.sessions.restSeconds = 0
    }) { server, url in
      let client = try TwinClient(url)
      for number in 1...3 {
        let (acted, shown) = try await blocking {
          if number == 1 { try #require(try client.create().status == 201) }
          return (try client.act("\"\(number)\"", #"{"to":"","a":"increment"}"#), try client.view())
        }
        #expect(acted.status == 200 && shown.body.contains(#""count":\#(number)"#))
        #expect(await eventually { server.sessionCount == 0 })
      }
      // Who has no token does not bring it back.
      let path = "/v1/sessions/\(client.sessionID)/view"
      let wrong = try await blocking { try client.ask("GET", path, headers: ["Riblet-Token: wrong"]) }
      #expect(wrong.isProblem(401) && server.sessionCount == 0)
    }
  }

  /// A client that reads nothing but comments is told that it is still connected.
  @Test func events_areKeptAlive() async throws {
    try await withServer({ $0.timeouts.heartbeatSeconds = 1 }) { server, url in
      try await blocking {
        let client = try TwinClient(url)
        _ = try client.create()
        let stream = try CurlSocket(url: url)
        let request = "GET /v1/sessions/\(client.sessionID)/events HTTP/1.1\r\nHost: localhost\r\n"
        try stream.send(Array("\(request)Riblet-Token: \(client.token)\r\n\r\n".utf8))
        var buffer = ReceiveBuffer()
        while buffer.text.ranges(of: ":\n\n").count < 2 { try #require(try stream.receive(into: &buffer)) }
      }
    }
  }

  /// One client, by WebSocket and by HTTP in turn; another that joins by HTTP.
  @Test func client_mayUseBoth() async throws {
    try await withServer { _, url in
      try await blocking {
        let client = try TwinClient(url)
        let welcome = try client.create().json
        _ = try client.act(#""1""#, #"{"to":"","a":"increment"}"#)
        let socket = try CurlWebSocket(url: url)
        let epoch = welcome["epoch"]?.string ?? ""
        try socket.send(
          #"{"t":"hello","resume":{"sid":"\#(client.sessionID)","cid":1,"token":"\#(client.token)","try":1,"#
            + #""epoch":"\#(epoch)","rev":2}}"#)
        #expect(try socket.text()?.contains(#""rev":2,"n":1,"#) == true)
        try socket.send(#"{"t":"act","n":2,"to":1,"a":"increment"}"#)
        #expect(try socket.text()?.hasPrefix(#"{"t":"patch","rev":3,"base":2,"n":2,"#) == true)
        try socket.send(#"{"t":"share","scope":"view"}"#)
        let share = try JSONValue(parsing: socket.text() ?? "")["token"]?.string ?? ""
        let guest = try TwinClient(url)
        let joined = try guest.create(#"{"share":"\#(share)"}"#)
        #expect(joined.status == 201 && guest.sessionID == client.sessionID)
        #expect(try joined.json["cid"] == .integer(2))
        #expect(try guest.view().body.contains(#""count":2"#))
        #expect(try guest.act(#""1""#, #"{"to":"","a":"increment"}"#).body.contains(#""code":"forbidden""#))
        #expect(try TwinClient(url).create(#"{"share":"\#(share)"}"#).isProblem(403))
        _ = try client.act(#""3""#, #"{"to":"","a":"increment"}"#)
        #expect(try socket.text()?.hasPrefix(#"{"t":"patch","rev":4,"base":3,"n":3,"#) == true)
      }
    }
  }

  @Test(.blocking) func session_survivesTheServer() throws {
    let directory = try TemporaryDirectory()
    var daemon = try Daemon(stateDirectory: directory.path)
    let client = try TwinClient(daemon.url)
    _ = try client.create()
    for number in 1...3 { _ = try client.act("\"\(number)\"", #"{"to":"","a":"increment"}"#) }
    _ = daemon.stop(SIGKILL)
    daemon = try Daemon(stateDirectory: directory.path)
    let again = try TwinClient(daemon.url, like: client)
    #expect(try again.act(#""3""#, #"{"to":"","a":"increment"}"#).body.contains(#""n":3,"#))
    #expect(try again.view().body.contains(#""count":3"#))
  }
}
