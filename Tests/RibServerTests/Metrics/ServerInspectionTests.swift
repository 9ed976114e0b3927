import CurlTransport
import Foundation
import RibCore
import Synchronization
import Testing
import Wire

@testable import RibServer

@Suite struct ServerInspectionTests {
  @Test func actions_areWhatClientsHaveSent() async throws {
    let directory = NSTemporaryDirectory() + "inspection-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await withServer(
      apps: [Logbook.app()],
      {
        $0.admin.listen = "127.0.0.1:0"
        $0.store = .sqlite
        $0.stateDirectory = directory
      }
    ) { server, url in
      try await AdminServer.with(server) { _, admin in
        try await blocking {
          for _ in 0..<3 {
            let client = try PlainClient(url)
            for number in 1...20 { try client.act(number, #"{"write":"a"}"#) }
            for _ in 1...20 { try client.next(#"{"t":"patch""#) }
            // Said again: it is answered, and not run.
            try client.act(20, #"{"write":"a"}"#)
            try client.next(#"{"t":"patch""#)
            try client.act(21, #"{"nothing":1}"#)
            try client.next(#"{"t":"nack""#)
            try client.act(22, #"{"write":"a"}"#, to: "99")
            try client.next(#"{"t":"nack""#)
            client.cut()
          }
        }
        let metrics = try await scrape(admin)
        let series = "ribserver_actions_total{app=\"logbook\",outcome="
        #expect(metrics["\(series)\"applied\"}"] == 60)
        #expect(metrics["\(series)\"repeated\"}"] == 3)
        #expect(metrics["\(series)\"bad_action\"}"] == 3)
        #expect(metrics["\(series)\"gone\"}"] == 3)
        #expect(metrics.sum("ribserver_actions_total") == 69)
        #expect(metrics["ribserver_answer_duration_seconds_count"] == 69)
        #expect(metrics["ribserver_transaction_duration_seconds_count{app=\"logbook\"}"] == 66)
        #expect(metrics["ribserver_snapshots_total{reason=\"start\"}"] == 3)
        #expect(metrics["ribserver_connections_accepted_total"] == 3)
        #expect(metrics["ribserver_store_commits_total"] ?? 0 > 0)
        #expect(metrics["ribserver_patch_bytes_total{app=\"logbook\"}"] ?? 0 > 60 * 20)
      }
    }
  }

  /// What clients and strangers do wrong, and how their connections end.
  @Test func endsAndRefusals_areCounted() async throws {
    try await withServer({
      $0.admin.listen = "127.0.0.1:0"
      $0.limits.connections = 8
      $0.limits.actionsPerSecond = 10
      // More than are handled at a time.
      $0.limits.actionBurst = 20
    }) { server, url in
      try await AdminServer.with(server) { _, admin in
        try await blocking {
          let bye = try PlainClient(url, app: "counter")
          try bye.send(#"{"t":"bye"}"#)
          #expect(try bye.end() == "ended 1000")
          let nonsense = try PlainClient(url, app: "counter")
          try nonsense.send("nonsense")
          #expect(try nonsense.end() == "bad_message 4400")
          // It comes back, and asks for more than it may.
          let client = try PlainClient(url, app: "counter")
          let welcome = try client.welcome
          let acts = (1...24).map { PlainClient.act($0, #""increment""#) }.joined(separator: ",")
          try client.send("[\(acts)]")
          for _ in 1...24 { try client.next(#"{"t":"patch""#) }
          client.cut()
          let again = try PlainClient(url, resuming: welcome, attempt: 2, epoch: welcome.epoch, revision: 25)
          again.cut()
          let thief = try PlainClient(url, resuming: welcome, token: "wrong", attempt: 3)
          #expect(thief.greeting.contains("denied"))
          let twin = try TwinClient(url)
          #expect(try twin.create().status == 201)
          #expect(try twin.act(#""1""#, #"{"to":"","a":"increment"}"#).status == 200)
          #expect(try twin.ask("GET", "/nowhere").status == 404)
          #expect(try twin.ask("POST", "/v1/sessions", "{}", headers: ["Origin: https://evil.example"]).status == 403)
          twin.cut()
          let many = try (0..<20).map { _ in try CurlSocket(url: url) }
          _ = many
        }
        let isCounted = try await eventually {
          let metrics = try await scrape(admin)
          return metrics.sum("ribserver_connections_refused_total") > 0
            && metrics["ribserver_connections_ended_total{reason=\"ended\"}"] == 1
            && metrics["ribserver_connections_ended_total{reason=\"bad_message\"}"] == 1
            && metrics["ribserver_connections_ended_total{reason=\"denied\"}"] == 1
        }
        #expect(isCounted)
        let metrics = try await scrape(admin)
        #expect(metrics["ribserver_resumes_total{outcome=\"patches\"}"] == 1)
        #expect(metrics["ribserver_resumes_total{outcome=\"refused\"}"] == 1)
        #expect(metrics["ribserver_requests_refused_total{reason=\"origin\"}"] == 1)
        #expect(metrics["ribserver_pauses_total{reason=\"rate\"}"] ?? 0 > 0)
        let requests = "http_server_request_duration_seconds_count{http_request_method="
        for (series, count) in [
          ("\"POST\",http_route=\"/v1/sessions\",http_response_status_code=\"201\"", 1.0),
          ("\"POST\",http_route=\"/v1/sessions\",http_response_status_code=\"403\"", 1),
          ("\"POST\",http_route=\"/v1/sessions/{session}/actions\",http_response_status_code=\"200\"", 1),
          ("\"GET\",http_route=\"\",http_response_status_code=\"404\"", 1),
        ] {
          #expect(metrics["\(requests)\(series)}"] == count, "\(series)")
        }
        // The admin server's own store is none of the server's.
        #expect(metrics["ribserver_store_failing"] == 0)
      }
    }
  }

  /// A client of ``gauges_equalTheTruth()``, as the test knows it.
  private struct Guest {
    var client: PlainClient?
    let welcome: Welcome
    var attempt = 1
    /// Its last action.
    var number = 0
    /// Whether an effect runs that keeps the session from its rest.
    var works = false
  }

  /// Sessions that begin, work, rest, are left, are come back to and end, a thousand times at random: what the gauges say is what the clients
  /// know.
  @Test func gauges_equalTheTruth() async throws {
    try await withServer(
      apps: [Logbook.app()],
      {
        $0.admin.listen = "127.0.0.1:0"
        $0.limits.newSessionsPerMinute = 0
        // Whatever can rest does so at once.
        $0.sessions.idleRestSeconds = 0
        $0.sessions.restSeconds = 0
      }
    ) { server, url in
      try await AdminServer.with(server) { _, admin in
        var random = SeededGenerator(seed: 24, stream: 0)
        var guests: [Guest] = []
        for round in 1...20 {
          (guests, random) = try await blocking { [guests, random] in
            var (guests, random) = (guests, random)
            for _ in 1...50 { try Self.step(&guests, url, &random) }
            return (guests, random)
          }
          let connected = Double(guests.count { $0.client != nil })
          let working = Double(guests.count(where: \.works))
          let sleeping = Double(guests.count { $0.client != nil && !$0.works })
          let isTrue = try await eventually {
            let metrics = try await scrape(admin)
            return metrics["ribserver_connections{transport=\"websocket\"}"] == connected
              && metrics["ribserver_sessions{state=\"awake\"}"] == working
              && metrics["ribserver_sessions{state=\"asleep_connected\"}"] == sleeping
              && metrics["ribserver_effects_running"] == working
          }
          #expect(isTrue, "round \(round): \(connected) connected, \(working) work, \(sleeping) sleep")
        }
        let metrics = try await scrape(admin)
        let started = metrics.sum("ribserver_sessions_started_total")
        #expect(started - metrics.sum("ribserver_sessions_ended_total") == Double(guests.count))
        for guest in guests { guest.client?.cut() }
      }
    }
  }

  /// One thing that a guest does, chosen at random.
  private static func step(_ guests: inout [Guest], _ url: String, _ random: inout SeededGenerator) throws {
    guard !guests.isEmpty, random.next() % 4 > 0 || guests.count >= 40 else {
      let client = try PlainClient(url)
      return guests.append(Guest(client: client, welcome: try client.welcome))
    }
    let place = Int(random.next() % UInt64(guests.count))
    guard let client = guests[place].client else {
      guests[place].attempt += 1
      guests[place].client = try PlainClient(url, resuming: guests[place].welcome, attempt: guests[place].attempt)
      try guests[place].client?.next(#"{"t":"snap""#)
      return
    }
    switch random.next() % 6 {
    case 0:
      client.cut()
      guests[place].client = nil
    case 1:
      try client.send(#"{"t":"bye"}"#)
      _ = try client.end()
      guests.remove(at: place)
    case 2 where !guests[place].works:
      guests[place].number += 1
      guests[place].works = true
      try client.act(guests[place].number, #"{"work":"a"}"#)
      try client.next(#"{"t":"patch""#)
    default:
      guests[place].number += 1
      try client.act(guests[place].number, #"{"write":"a"}"#)
      try client.next(#"{"t":"patch""#)
    }
  }

  /// Waits until it may go on.
  private struct Waiter: Riblet {
    static let typeName = "Waiter"
    enum ViewAction: String, Codable { case wait }
    struct State: Codable, Equatable {}
    let mayGoOn: Gate

    final class Gate: Sendable {
      private let isOpen = Atomic(false)
      func open() { isOpen.store(true, ordering: .relaxed) }
      func wait() { while !isOpen.load(ordering: .relaxed) {} }
    }

    func makeState() -> State { State() }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      mayGoOn.wait()
      return .none
    }
    func view(_ state: State) -> Int { 0 }
  }

  /// Metrics are wanted most when a loop hangs.
  @Test func loopThatHangs_keepsNobodyFromTheMetrics() async throws {
    let gate = Waiter.Gate()
    try await withServer(
      apps: [App("waiter") { Waiter(mayGoOn: gate) }],
      {
        $0.admin.listen = "127.0.0.1:0"
      }
    ) { server, url in
      try await AdminServer.with(server) { _, admin in
        let client = try await blocking { try PlainClient(url, app: "waiter") }
        #expect(try await scrape(admin)["ribserver_loops{state=\"answering\"}"] == 2)
        try await blocking { try client.act(1, #""wait""#) }
        let isSeen = try await eventually {
          try await scrape(admin)["ribserver_loops{state=\"answering\"}"] == 1
        }
        #expect(isSeen)
        // systemd is not told that the server is well.
        #expect(await !server.isLive(within: .milliseconds(10)))
        let metrics = try await scrape(admin)
        #expect(metrics["ribserver_loops{state=\"all\"}"] == 2)
        #expect(metrics["ribserver_connections{transport=\"websocket\"}"] == 1)
        gate.open()
        #expect(await server.isLive(within: .seconds(Int(Poll.patience))))
        _ = try await blocking { try client.next(#"{"t":"patch""#) }
        // The loop was late by more than a second.
        let isCounted = try await eventually {
          let metrics = try await scrape(admin)
          return (0..<2).contains { loop in
            let series = "ribserver_loop_lag_seconds"
            let all = metrics["\(series)_count{loop=\"\(loop)\"}"] ?? 0
            return all > metrics["\(series)_bucket{loop=\"\(loop)\",le=\"0.5\"}"] ?? 0
          }
        }
        #expect(isCounted)
        client.cut()
      }
    }
  }
}
