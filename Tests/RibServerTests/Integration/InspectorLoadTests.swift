import CurlTransport
import RibClient
import RibInspector
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibServer

/// The cost of an open inspector for the clients of a server with many sessions.
@Suite(.serialized) struct InspectorLoadTests {
  private static let sessionCount = TestRun.volume(2000, nightly: 20_000)
  private static let roundCount = TestRun.volume(50, nightly: 200)

  /// The round trips of some clients that act in turn, in microseconds, in ascending order.
  private static func roundTrips(_ clients: [CurlClient]) throws -> [Double] {
    var times: [Double] = []
    for _ in 0..<roundCount {
      for client in clients {
        let start = ContinuousClock.now
        try client.act(.string("increment"), to: .id(1))
        try client.settle()
        times.append((ContinuousClock.now - start) / .microseconds(1))
      }
    }
    return times.sorted()
  }

  @Test func openInspector_isNotNoticedByClients() async throws {
    try await withServer({
      $0.admin.listen = "127.0.0.1:0"
      $0.limits.sessions = 1_000_000
      $0.limits.memoryPercent = 0
      $0.sessions.restSeconds = 3600
      $0.sessions.untouchedSeconds = 3600
    }) { server, url in
      let inspection = try #require(server.inspection)
      try await AdminServer.with(server, apps: [.inspector(of: server)]) { _, admin in
        try await blocking {
          let crowd = try TwinClient(url)
          for _ in 0..<Self.sessionCount { #expect(try crowd.create().status == 201) }
          let clients = try (0..<20).map { _ in try CurlClient(url: url, app: "counter") }
          _ = try Self.roundTrips(clients)
          var (alone, seen): ([Double], [Double]) = ([], [])
          // In turn, so that other work of the machine is shared by both.
          for _ in 0..<3 {
            alone += try Self.roundTrips(clients)
            let before = inspection.looks.withLock { $0.searchCount }
            let inspector = try Onlooker(admin)
            seen += try Self.roundTrips(clients)
            try inspector.stop()
            #expect(inspection.looks.withLock { $0.searchCount } > before)
          }
          let (quiet, busy) = (alone.sorted(), seen.sorted())
          func p99(_ times: [Double]) -> Double { times[times.count * 99 / 100] }
          print(
            "\(Self.sessionCount) sessions: p99 \(Int(p99(quiet))) µs without an inspector, \(Int(p99(busy))) µs with one; "
              + "median \(Int(quiet[quiet.count / 2])) and \(Int(busy[busy.count / 2])) µs")
          if TestRun.judgesTime { #expect(p99(busy) <= 1.2 * p99(quiet)) }
        }
      }
    }
  }

  /// An operator with the list of sessions open, on a thread of its own.
  private final class Onlooker: Sendable {
    private enum State {
      case connecting
      case looking
      case stopping
      case gone((any Error)?)
    }

    private let state = Mutex(State.connecting)

    /// Looks, and returns once there is something to see.
    init(_ admin: String) throws {
      BlockingThread.start { [self] in
        do {
          let client = try CurlClient(url: admin, app: "inspector", credential: { "secret" })
          try client.perform(#"{"pageTapped":"sessions"}"#)
          try client.wait { try $0.state("page")["totalCount"] != nil }
          state.withLock { $0 = .looking }
          while isLooking {
            do {
              _ = try client.receive(timeout: 50)
            } catch let error as CurlError where error == .timedOut {}
          }
          try client.end()
          state.withLock { $0 = .gone(nil) }
        } catch {
          state.withLock { $0 = .gone(error) }
        }
      }
      try waitUntil {
        switch state.withLock({ $0 }) {
        case .connecting: return false
        case .looking, .stopping: return true
        case .gone(let error): throw error ?? NeverTrue(seconds: 0)
        }
      }
    }

    private var isLooking: Bool { state.withLock { if case .looking = $0 { true } else { false } } }

    /// Looks no more.
    func stop() throws {
      state.withLock { if case .looking = $0 { $0 = .stopping } }
      try waitUntil {
        guard case .gone(let error) = state.withLock({ $0 }) else { return false }
        if let error { throw error }
        return true
      }
    }
  }
}
