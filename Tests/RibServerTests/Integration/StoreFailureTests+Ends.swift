import CurlTransport
import GRDB
import Testing
import Wire

@testable import RibServer

/// What becomes of sessions that end while the store fails.
extension StoreFailureTests {
  /// Who says goodbye is gone from the file as well, once it can be written.
  @Test func goodbye_whileTheStoreFails_isMadeUpFor() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.fail(true)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.next()
        try client.send(#"{"t":"bye"}"#)
        #expect(try client.end() == "ended 1000")
      }
      #expect(await eventually { host.store.requests.contains("remove") })
      host.store.fail(false)
      #expect(await eventually { host.store.requests.filter { $0 == "remove" }.count == 2 })
      #expect(try host.store.load(try client.welcome.sessionID) == nil)
      #expect(host.sessionCount == 0)
    }
  }

  /// Whoever has ended it is told that it may be there again after a crash.
  @Test(arguments: [Outage.goesOn, .waits]) func endOfASession_isOwed_whileTheStoreFails(outage: Outage) async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore(), outage: outage) { host in
      let client = try await blocking { try PlainClient(host.url) }
      let id = try client.welcome.sessionID
      let end = {
        await withCheckedContinuation { continuation in
          host.loops[0].execute {
            SessionDismissal(context: host.context, loop: host.loops[0]).end(id) { continuation.resume(returning: $0) }
          }
        }
      }
      host.store.fail(true)
      if outage == .goesOn {
        await #expect(throws: StoreError.self) { try await end().get() }
        host.store.fail(false)
      } else {
        async let result = end()
        #expect(await eventually { host.sessionCount == 0 })
        host.store.fail(false)
        // It is ended when the store can be asked again, or it could not be asked.
        if case .success(let wasThere) = await result { #expect(wasThere) }
      }
      // With a token that opens nothing: who reads a session takes it from who has it.
      #expect(await eventually { (try? host.store.load(id, "nobody's") == nil) == true })
    }
  }

  /// The goodbye is said when the store has forgotten the session.
  @Test func goodbye_waitsForTheStore() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.send(#"{"t":"bye"}"#)
        try waitUntil { host.store.isWaiting }
        #expect(throws: CurlError.timedOut) { try client.next(timeout: 100) }
        host.store.hold(false)
        try client.next(#"{"t":"patch""#)
        #expect(try client.end() == "ended 1000")
      }
      #expect(try host.store.load(try client.welcome.sessionID) == nil)
    }
  }

  /// A session that the file does not take is ended, before anything is shown that would be lost; others go on.
  @Test func sessionThatCannotBeWritten_isEndedAlone() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { [self] host in
      try await blocking {
        let (bad, good) = (try PlainClient(host.url), try PlainClient(host.url))
        let id = try bad.welcome.sessionID
        try DatabaseQueue(path: directory.store).write {
          try $0.execute(
            sql: """
              CREATE TRIGGER refuse BEFORE UPDATE ON session WHEN new.sid = '\(id)'
              BEGIN SELECT RAISE(ABORT, 'no'); END
              """)
        }
        try bad.act(1, #"{"write":"a"}"#)
        try good.act(1, #"{"write":"a"}"#)
        try bad.next(#"{"t":"bye","code":"failed","#)
        try good.next(#"{"t":"patch""#)
      }
      #expect(await eventually { host.sessionCount == 1 })
    }
  }
}
