import CurlTransport
import Foundation
import Logging
import RibWeb
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

@Suite struct AdminServerTests {
  private static let token = ["Authorization: Bearer secret"]

  /// Runs a body against a server with an admin listener, and with the listener's URL.
  private static func withAdmin(
    _ listen: String = "127.0.0.1:0",
    _ body: @escaping @Sendable (_ url: String, _ admin: String, Server) async throws -> Void
  ) async throws {
    try await withServer({ $0.admin.listen = listen }) { server, url in
      try await AdminServer.with(server) { _, admin in try await body(url, admin, server) }
    }
  }

  @Test(arguments: ["/metrics", "/livez", "/readyz", "/healthz", "/v1/apps"])
  func eachPath_needsAToken(_ path: String) async throws {
    try await Self.withAdmin { _, admin, _ in
      try await blocking {
        let client = try TwinClient(admin)
        for headers in [
          [], ["Authorization: Bearer wrong"], ["Authorization: Basic secret"], ["Authorization: secret"],
          Self.token + Self.token,
        ] {
          let answer = try client.ask("GET", path, headers: headers)
          #expect(answer.isProblem(401), "\(headers)")
          #expect(answer.headers["WWW-Authenticate"] == "Bearer")
        }
        #expect(try client.ask("GET", path, headers: Self.token).status == 200)
        #expect(try client.ask("GET", "\(path)?token=secret").status == 401)
      }
    }
  }

  /// Connections that say nothing keep no operator out.
  @Test func muteConnections_giveWayToOperators() async throws {
    try await Self.withAdmin { _, admin, _ in
      try await blocking {
        let mute = try (0..<300).map { _ in try CurlSocket(url: admin) }
        let client = try TwinClient(admin)
        #expect(try client.ask("GET", "/livez", headers: Self.token).status == 200)
        // A connection that has shown a token stays, and so do the newest of the others.
        let more = try (0..<70).map { _ in try TwinClient(admin) }
        #expect(try client.ask("GET", "/livez", headers: Self.token).status == 200)
        #expect(try more.last?.ask("GET", "/livez", headers: Self.token).status == 200)
        #expect(throws: (any Error).self) { try more[0].ask("GET", "/livez", headers: Self.token) }
        mute.forEach { $0.cut() }
      }
    }
  }

  /// Whoever tries tokens is slowed down, and seen; whoever has one is not kept waiting.
  @Test func wrongTokens_areSlowedDown_andInTheAudit() async throws {
    let log = RecentLog()
    try await withServer({ $0.admin.listen = "127.0.0.1:0" }) { server, _ in
      try await AdminServer.with(server, logger: Logger(label: "admin") { log.handler($0) }) { _, admin in
        try await blocking {
          let (guesser, client) = (try TwinClient(admin), try TwinClient(admin))
          let wrong = ["Authorization: Bearer wrong"]
          // The bucket gains one in three seconds, so that on a slow machine it takes more of them.
          var times: [Duration] = []
          while times.count < 60, times.allSatisfy({ $0 < AdminDesk.refusalDelay }) {
            let start = ContinuousClock.now
            let announced = times.count.isMultiple(of: 2) ? [] : ["Expect: 100-continue"]
            #expect(try guesser.ask("GET", "/livez", headers: wrong + announced).status == 401)
            times.append(ContinuousClock.now - start)
          }
          #expect(21..<60 ~= times.count)
          #expect(try client.ask("GET", "/livez", headers: Self.token).status == 200)
        }
      }
    }
    let lines = log.lines.filter { $0.message.contains("wrong admin token") }
    #expect(lines.map(\.metadata) == ["address=127.0.0.1 audit=true"])
  }

  @Test func audit_hasALineAMinute_aboutWrongTokens() {
    let desk = AdminDesk(Server(apps: []), AdminTokens(token: "secret"))
    #expect((0..<4).map { _ in desk.noteWrongToken() } == [true, false, false, false])
    #expect(desk.takeUntold() == 3 && !desk.noteWrongToken() && desk.takeUntold() == 1)
    #expect(desk.takeUntold() == 0 && desk.noteWrongToken())
  }

  /// Charts have a past when they are looked at for the first time.
  @Test func history_isKept_whileNobodyLooks() async throws {
    try await withServer { server, _ in
      let history = AdminDesk(server, AdminTokens(token: "secret")).keepHistory(every: 5_000_000)
      let inspection = try #require(server.inspection)
      #expect(await eventually { inspection.looks.withLock { $0.samples.count } >= 3 })
      history.cancel()
      let overview = await inspection.overview()
      #expect(overview.samples.count >= 3)
      #expect(zip(overview.samples, overview.samples.dropFirst()).allSatisfy { $0.id < $1.id })
    }
  }

  @Test func sample_isNotTakenBesideALook() async throws {
    try await withServer { server, _ in
      let inspection = try #require(server.inspection)
      _ = await inspection.overview()
      let last = try #require(inspection.looks.withLock { $0.last?.time })
      inspection.takeSample(unlessWithin: .max)
      // A look comes after what was begun before it.
      _ = await inspection.overview()
      #expect(inspection.looks.withLock { $0.last?.time } == last)
    }
  }

  /// A browser shows no token for a page, so the page has to ask for one.
  @Test func page_needsNoToken() async throws {
    try await withServer({ $0.admin.listen = "127.0.0.1:0" }) { server, url in
      try await AdminServer.with(server, files: .inspector) { _, admin in
        try await blocking {
          let client = try TwinClient(admin)
          let page = try client.ask("GET", "/")
          #expect(page.status == 200)
          #expect(page.body.contains("<title>RibServer inspector</title>"))
          #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'self'; ") == true)
          for path in ["/admin.js", "/admin.js.map", "/riblet.js", "/showcase.css", "/favicon.svg"] {
            #expect(try client.ask("GET", path).status == 200, "\(path)")
          }
          for path in ["/metrics", "/v1/apps", "/showcase.js", "/nothing", "/admin.js/"] {
            #expect(try client.ask("GET", path).status == 401, "\(path)")
          }
          // The public listener has nothing of it.
          #expect(try TwinClient(url).ask("GET", "/admin.js").status == 404)
        }
      }
    }
  }

  @Test func metrics_areWhatPrometheusReads() async throws {
    try await Self.withAdmin { url, admin, _ in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        let answer = try TwinClient(admin).ask("GET", "/metrics", headers: Self.token)
        #expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let metrics = MetricsText(answer.body)
        #expect(metrics["ribserver_connections{transport=\"websocket\"}"] == 1)
        #expect(metrics["ribserver_sessions{state=\"awake\"}"] == 1)
        #expect(metrics["ribserver_sessions_started_total{app=\"counter\"}"] == 1)
        #expect(metrics["ribserver_store_failing"] == 0)
        #expect(metrics["process_max_fds"] ?? 0 > 0)
        _ = socket
      }
    }
  }

  /// What a load balancer asks needs no token, and says one word.
  @Test func publicListener_hasProbesAndNoMetrics() async throws {
    try await Self.withAdmin { url, _, _ in
      try await blocking {
        let client = try TwinClient(url)
        #expect(try client.ask("GET", "/metrics", headers: Self.token).status == 404)
        for (path, word) in [("/livez", "live\n"), ("/readyz", "ready\n"), ("/healthz", "ok\n")] {
          let answer = try client.ask("GET", path)
          #expect(answer.status == 200)
          #expect(answer.body == word)
        }
      }
    }
  }

  @Test func probes_tellOperatorsMore() async throws {
    try await Self.withAdmin { _, admin, _ in
      try await blocking {
        for (path, word) in [("/livez", "live"), ("/readyz", "ready")] {
          let json = try TwinClient(admin).ask("GET", path, headers: Self.token).json
          #expect(json["status"]?.string == word)
          #expect(json["version"]?.string == Server.version)
          #expect(json["storeFailing"] == .bool(false))
          #expect(json["loops"] == .integer(2))
        }
      }
    }
  }

  /// A page on the operator's own machine reaches the listener under a name that points there (DNS rebinding).
  @Test func nameThatIsNotTheMachines_isRefused() async throws {
    try await Self.withAdmin { _, admin, _ in
      try await blocking {
        let socket = try CurlSocket(url: admin)
        try socket.send(
          Array("GET /metrics HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer secret\r\n\r\n".utf8))
        var answer = ReceiveBuffer()
        while !answer.text.contains("\r\n") { guard try socket.receive(into: &answer) else { break } }
        #expect(answer.text.hasPrefix("HTTP/1.1 421 "))
      }
    }
  }

  /// An operator wants to see most while clients are asked to go.
  @Test func serverThatStops_isSeenUntilItHas() async throws {
    try await withServer({
      $0.admin.listen = "127.0.0.1:0"
      $0.timeouts.drainSeconds = 600
    }) { server, url in
      try await AdminServer.with(server) { _, admin in
        let socket = try await blocking { try PlainClient(url, app: "counter") }
        let stop = Task { await server.stop() }
        let isDraining = try await eventually {
          let answer = try await blocking { try TwinClient(admin).ask("GET", "/readyz", headers: Self.token) }
          return answer.status == 404
        }
        #expect(isDraining)
        #expect(try await scrape(admin)["ribserver_connections{transport=\"websocket\"}"] == 1)
        socket.cut()
        await stop.value
      }
    }
  }

  @Test func serverThatHasStopped_isSaidToHave() async throws {
    try await Self.withAdmin { _, admin, server in
      await server.stop()
      try await blocking {
        let client = try TwinClient(admin)
        #expect(try client.ask("GET", "/metrics", headers: Self.token).isProblem(503))
        #expect(try client.ask("GET", "/readyz", headers: Self.token).status == 503)
      }
    }
  }

  @Test func tokens_areThoseOfTheFile_orOneThatIsMade() async throws {
    let file = NSTemporaryDirectory() + "admin-tokens-\(UInt64.random(in: 0 ... .max))"
    try Data("anna:look:\(SessionToken.hash("secret"))\n".utf8).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    try await withServer({
      $0.admin.listen = "0.0.0.0:0"
      $0.admin.tokenFile = file
    }) { server, _ in
      try await AdminServer.with(server, tokens: nil) { admin, url in
        #expect(admin.madeToken == nil)
        _ = try await scrape(url.replacing("0.0.0.0", with: "127.0.0.1"))
      }
    }
    try await withServer({ $0.admin.listen = "[::1]:0" }) { server, _ in
      let one = try #require(try AdminServer(of: server).madeToken)
      let other = try #require(try AdminServer(of: server).madeToken)
      #expect(one.count == 64)
      #expect(one != other)
    }
  }

  @Test func addressThatOthersReach_needsAFileOfTokens() async throws {
    try await withServer({ $0.admin.listen = "0.0.0.0:0" }) { server, _ in
      let error = #expect(throws: SettingsError.self) { try AdminServer(of: server) }
      #expect(error?.key == "admin.listen")
    }
    try await withServer({
      $0.admin.listen = "127.0.0.1:0"
      $0.admin.tokenFile = "/nowhere/tokens"
    }) { server, _ in
      let error = #expect(throws: SystemError.self) { try AdminServer(of: server) }
      #expect(error?.description.contains("/nowhere/tokens") == true)
    }
  }

  @Test func socketInTheFileSystem_isForTheUserAlone() async throws {
    let path = NSTemporaryDirectory() + "admin-\(UInt64.random(in: 0 ... .max)).sock"
    try await Self.withAdmin("unix:\(path)") { _, admin, _ in
      #expect(admin == "unix:\(path)")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
