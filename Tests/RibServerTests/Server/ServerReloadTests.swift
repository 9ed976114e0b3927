import CurlTransport
import Foundation
import RibCore
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// Settings that are replaced while clients are connected, over the wire.
@Suite struct ServerReloadTests {
  /// Reloads a server's settings with a change.
  private static func reload(_ server: Server, _ change: (inout ServerSettings) -> Void) throws {
    var settings = server.settings
    change(&settings)
    #expect(try server.reload(settings) == [])
  }

  @Test func limit_holdsForTheNextConnection_andThatBeforeGoesOn() async throws {
    try await withServer { server, url in
      try await blocking {
        let old = try PlainClient(url, app: "counter")
        try Self.reload(server) {
          $0.limits.messageBytes = 200
          $0.sessions.timeToLiveSeconds = 77
        }
        let new = try PlainClient(url, app: "counter")
        #expect(try new.welcome.limits.messageBytes == 200 && old.welcome.limits.messageBytes == 65_536)
        #expect(try new.welcome.timeToLive == 77_000)
        let long = #"{"t":"act","n":1,"to":1,"a":"increment","x":"\#(String(repeating: "x", count: 300))"}"#
        try old.send(long)
        try old.next(#"{"t":"patch""#)
        try new.send(long)
        #expect(try new.end().hasSuffix(" 1009"))
      }
    }
  }

  /// A connection is told the limits by which it is read, compressed or not: those of its beginning.
  @Test func connectionFromBefore_isToldItsOwnLimits() async throws {
    try await withServer { server, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url)
        try Self.reload(server) { $0.limits.messageBytes = 200 }
        try socket.send(#"{"t":"hello","app":"counter"}"#)
        let welcome = try JSONValue(parsing: try socket.text() ?? "")
        #expect(welcome["limits"]?["messageBytes"] == .integer(65_536))
        try socket.send(#"{"t":"act","n":1,"to":1,"a":"increment","x":"\#(String(repeating: "x", count: 300))"}"#)
        _ = try socket.text()
        #expect(try socket.text()?.hasPrefix(#"{"t":"patch""#) == true)
      }
    }
  }

  @Test func higherLimit_holdsAsWell() async throws {
    try await withServer({ $0.limits.messageBytes = 200 }) { server, url in
      try await blocking {
        try Self.reload(server) { $0.limits.messageBytes = 2000 }
        let client = try PlainClient(url, app: "counter")
        try client.send(#"{"t":"act","n":1,"to":1,"a":"increment","x":"\#(String(repeating: "x", count: 1000))"}"#)
        try client.next(#"{"t":"patch""#)
      }
    }
  }

  @Test func originsAndHosts_holdForTheNextRequest() async throws {
    try await withServer { server, url in
      try await blocking {
        #expect(try GateTests.statuses(url, GateTests.listed) == [421, 421])
        try Self.reload(server) { $0.hosts = ["api.example.com"] }
        #expect(try GateTests.statuses(url, GateTests.listed) == [403, 403])
        try Self.reload(server) { $0.origins = ["https://app.example.com"] }
        #expect(try GateTests.statuses(url, GateTests.listed) == GateTests.letIn)
        try Self.reload(server) { $0.origins = [] }
        #expect(try GateTests.statuses(url, GateTests.listed) == [403, 403])
      }
    }
  }

  @Test func budgetsAndCounters_haveTheNewLimits() async throws {
    try await withServer { server, url in
      try await blocking {
        let client = try PlainClient(url, app: "counter")
        try Self.reload(server) { $0.limits.connections = 1 }
        #expect(try GateTests.exchange(url, "").hasPrefix("HTTP/1.1 503"))
        try Self.reload(server) { $0.limits.connections = 10 }
        try Self.reload(server) { $0.limits.sessions = 1 }
        #expect(try TwinClient(url).create().status == 503)
        client.cut()
      }
    }
  }

  /// Before, the server would wait for a day.
  @Test func timeout_holdsForTheNextConnection() async throws {
    try await withServer({ $0.timeouts.handshakeSeconds = 86_400 }) { server, url in
      try await blocking {
        try Self.reload(server) {
          $0.timeouts.handshakeSeconds = 1
          $0.timeouts.heartbeatSeconds = 1
        }
        #expect(try GateTests.exchange(url, "GET").hasPrefix("HTTP/1.1 408"))
        let client = try PlainClient(url, app: "counter")
        #expect(try client.welcome.heartbeat == 1000)
      }
    }
  }

  /// Loops take settings over one after the other: a connection is read as it was accepted, whatever its own loop goes by by then.
  @Test(arguments: [ServerSettings.Proxies.ProxyProtocol.off, .required])
  func proxyHeader_isExpectedByTheSettingsOfTheListener(_ header: ServerSettings.Proxies.ProxyProtocol) async throws {
    try await withServer({ $0.proxies.protocol = header }) { server, url in
      let loops = server.state.withLock { state -> [EventLoop] in
        if case .running(let running) = state { running.loops } else { [] }
      }
      var settings = server.settings
      settings.proxies.protocol = header == .off ? .required : .off
      let newer = server.context.rules.replacing(settings)
      loops[1].follow(newer)
      try await blocking {
        // One connection for each loop.
        for _ in loops {
          let head = (header == .off ? "" : "PROXY TCP4 203.0.113.9 127.0.0.1 1 2\r\n") + "GET /livez HTTP/1.1\r\n"
          let answer = try GateTests.exchange(url, head + "Host: localhost\r\nConnection: close\r\n\r\n")
          #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        }
      }
    }
  }

  /// Lets nobody in.
  private struct Wall: SessionAuthenticator {
    func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
      throw .invalid("Nobody comes in.")
    }
  }

  @Test func authenticator_isReplaced() async throws {
    try await withServer(apps: Desk.apps, authenticator: Doorman()) { server, url in
      try await blocking {
        let headers = ["Authorization: Bearer ada"]
        let create = { try TwinClient(url).ask("POST", "/v1/sessions", #"{"app":"known"}"#, headers: headers).status }
        #expect(try create() == 201)
        try server.reload(server.settings, authenticator: Wall())
        #expect(try create() == 401)
        // Nil is for the same as before.
        try server.reload(server.settings)
        #expect(try create() == 401)
        try server.reload(server.settings, authenticator: Doorman())
        #expect(try create() == 201)
      }
    }
  }

  @Test func watchdogAndCeiling_beginAndEnd() async throws {
    try await withServer({ $0.limits.memoryPercent = 0 }) { server, _ in
      let hasWatchdog = {
        server.state.withLock { if case .running(let running) = $0 { running.watchdog != nil } else { false } }
      }
      #expect(!hasWatchdog())
      try Self.reload(server) { $0.timeouts.watchdogSeconds = 1000 }
      #expect(hasWatchdog())
      try Self.reload(server) { $0.timeouts.watchdogSeconds = 0 }
      #expect(!hasWatchdog())
      // A process has more than one megabyte.
      for _ in 0..<2 {
        try Self.reload(server) { $0.limits.memoryMegabytes = 1 }
        #expect(await eventually { server.context.isOverMemory.load(ordering: .relaxed) })
        try Self.reload(server) { $0.limits.memoryMegabytes = 0 }
        #expect(await eventually { !server.context.isOverMemory.load(ordering: .relaxed) })
      }
    }
  }

  @Test func faultySettings_areCounted_untilGoodOnesCome() async throws {
    try await withServer({ $0.admin.listen = "127.0.0.1:0" }) { server, _ in
      try await AdminServer.with(server) { _, admin in
        let name = "ribserver_config_last_reload_successful"
        let time = "ribserver_config_last_reload_success_timestamp_seconds"
        let first = try await scrape(admin)
        #expect(first[name] == 1 && (first[time] ?? 0) > 1_700_000_000)
        var bad = server.settings
        bad.limits.connections = 0
        #expect(throws: SettingsError.self) { try server.reload(bad) }
        let second = try await scrape(admin)
        #expect(second[name] == 0 && second[time] == first[time])
        try server.reload(server.settings)
        #expect(try await scrape(admin)[name] == 1)
      }
    }
  }

  @Test func adminTokens_areReplaced() async throws {
    try await withServer({ $0.admin.listen = "127.0.0.1:0" }) { server, _ in
      try await AdminServer.with(server) { admin, url in
        try await blocking {
          let client = try TwinClient(url)
          let status = { (token: String) in
            try client.ask("GET", "/livez", headers: ["Authorization: Bearer \(token)"]).status
          }
          #expect(try status("secret") == 200 && status("other") == 401)
          admin.replace(AdminTokens(token: "other"))
          #expect(try status("secret") == 401 && status("other") == 200)
        }
      }
    }
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  @Test func thousandReloads_loseNothing() async throws {
    try await withServer { server, url in
      let isOver = Flag()
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await blocking {
              let client = try PlainClient(url, app: "counter")
              var count = 0
              while !isOver.isSet.load(ordering: .relaxed) {
                count += 1
                try client.send(#"{"t":"act","n":\#(count),"to":1,"a":"increment"}"#)
                let patch = try client.next(#"{"t":"patch""#)
                #expect(patch.contains(#""n":\#(count)"#), "\(patch)")
              }
              return count
            }
          }
        }
        for index in 0..<1000 {
          try Self.reload(server) {
            $0.limits.connections = 1000 + index
            $0.timeouts.heartbeatSeconds = 600 + index
            $0.origins = ["https://app\(index).example.com"]
            $0.limits.messageBytes = 65_536 + index
          }
          // Clients act in between.
          if index % 100 == 0 { await Task.yield() }
        }
        isOver.isSet.store(true, ordering: .relaxed)
        for try await count in group { #expect(count > 0) }
      }
      #expect(server.settings.limits.connections == 1999)
      let loops = server.state.withLock { state -> [EventLoop] in
        if case .running(let running) = state { running.loops } else { [] }
      }
      #expect(loops.count == 2)
      for loop in loops {
        #expect(loop.executeAndWait { loop.work.rules.settings } == server.settings)
      }
    }
  }
}
