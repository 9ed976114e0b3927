import Foundation
import GRDB
import Testing
import Wire

@testable import RibServer

/// Which sessions leave memory first, and what is noted of when their clients were there.
@Suite struct RestOrderTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Above the memory ceiling 64 sessions leave at a time: those without a client, and then those that have waited longest.
  @Test func sessionsThatHaveWaitedLongest_leaveFirst() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with([Logbook.app()], on: store) { host in
      let clients = try await blocking {
        let clients = try (0..<66).map { _ in try PlainClient(host.url) }
        // The first ones become those in which something has happened last, but for two that have no client.
        for client in clients[..<4] {
          try client.act(1, #"{"write":"a"}"#)
          try client.next(#"{"t":"patch""#)
        }
        for _ in 0..<2 { try #require(try TwinClient(host.url).create(#"{"app":"logbook"}"#).status == 201) }
        return clients
      }
      let loop = host.loops[0]
      // Nothing is under way any more: each was created, and four have acted.
      #expect(await eventually { host.store.requests.count { $0 == "create" || $0 == "write" } >= 68 + 4 })
      loop.execute { loop.restLongestIdle() }
      #expect(await eventually { host.sessionCount == 4 })
      let loads = host.store.requests.count { $0 == "load" }
      try await blocking {
        for client in clients[..<4] {
          try client.act(2, #"{"write":"b"}"#)
          try client.next(#"{"t":"patch""#)
        }
      }
      #expect(host.store.requests.count { $0 == "load" } == loads, "one of them was not in memory any more")
      try await blocking {
        try clients[4].act(1, #"{"write":"b"}"#)
        try clients[4].next(#"{"t":"patch""#)
      }
      #expect(host.store.requests.count { $0 == "load" } == loads + 1)
    }
  }

  /// A session lives on for its time from when its client left, not from when it was written for the last time.
  @Test func restingSession_knowsWhenItsClientLeft() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    let path = directory.store
    try await StoreHost.with([Logbook.app()], on: store, { $0.sessions.restSeconds = 3 }) { host in
      try await blocking { _ = try PlainClient.writeAndLeave(host.url) }
      let left = Date().timeIntervalSince1970
      #expect(await eventually { host.sessionCount == 0 })
      let rested = Date().timeIntervalSince1970
      #expect(rested - left > 2, "it has rested at once: the test shows nothing")
      let seen = try await DatabaseQueue(path: path).read { try Double.fetchOne($0, sql: "SELECT seen FROM session") }
      // Whole seconds; the session was written some three after its client had left.
      #expect((seen ?? 0) >= left - 1.5 && (seen ?? .infinity) < rested - 2)
    }
  }
}
