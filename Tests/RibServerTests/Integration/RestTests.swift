import CurlTransport
import Foundation
import GRDB
import Logging
import RibClient
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibServer

/// Sessions in which nothing happens leave memory, and come back as if they had been there all the time.
@Suite(.timeLimit(.minutes(5))) struct RestTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func withServer(
    _ store: ServerSettings.Store, _ outside: Logbook.Outside = Logbook.Outside(), rest: Int = 1000, idle: Int = 1000,
    logger: Logger = CollectedLog().logger, _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await RibServerTests.withServer(
      apps: [Logbook.app(outside)], logger: logger,
      {
        $0.store = store
        $0.stateDirectory = directory.path
        $0.sessions.restSeconds = rest
        $0.sessions.idleRestSeconds = idle
        change(&$0)
      }, body)
  }

  /// Who has the session: 0 for nobody.
  private func holder() throws -> Int {
    try DatabaseQueue(path: directory.store).read {
      try Int.fetchOne($0, sql: "SELECT holder FROM session") ?? -1
    }
  }

  // MARK: Without a client

  @Test(arguments: ServerSettings.Store.own)
  func sessionWithoutAClient_leavesMemory_andComesBackAsItWas(_ store: ServerSettings.Store) async throws {
    try await withServer(store, rest: 1) { server, url in
      let (welcome, view) = try await blocking {
        let client = try CurlClient(url: url, app: "logbook")
        try client.perform(#"{"write":"a"}"#)
        try client.perform(#"{"push":7}"#)
        try client.perform(#""add""#, at: "pages[1]")
        try client.act(.string("wrong"), to: .path(""))
        try client.settle()
        client.disconnect()
        return (try #require(client.session.lastWelcome), try #require(client.session.view))
      }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        let same = try PlainClient(url, resuming: welcome, attempt: 1, revision: 4)
        let again = try same.welcome
        #expect(again.epoch == welcome.epoch && again.revision == 4 && again.number == 4 && again.resumed)
        #expect(again.nackNumbers == [4])
        // It has missed nothing.
        try same.send(#"{"t":"ping"}"#)
        try same.next(#"{"t":"pong""#)
        try same.act(5, #"{"write":"b"}"#)
        try same.next(#"{"t":"patch","rev":5,"base":4,"n":5,"#)
        let other = try PlainClient(url, resuming: welcome, attempt: 2)
        let snap = try JSONValue(parsing: try other.next(#"{"t":"snap""#))
        #expect(snap["view"]?["nodes"]?["1"]?["state"]?["lines"]?.text == #"["a","b"]"#)
        #expect(snap["view"]?["nodes"]?["3"] == view["nodes"]?["3"])
        #expect(snap["view"]?["nodes"]?["3"]?["state"]?["count"] == .integer(1))
      }
    }
  }

  /// What was on its way to the store is not lost when the client is back before it is there.
  @Test(arguments: ServerSettings.Store.own)
  func clientThatComesBackWhileTheSessionLeaves_findsIt(_ store: ServerSettings.Store) async throws {
    let base: any SessionStore =
      store == .memory ? MemoryStore() : try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with([Logbook.app()], on: base, { $0.sessions.restSeconds = 1 }) { host in
      // A session is created, acted on, and alone; with what comes next it leaves. Memory's store has it only then.
      host.store.hold(after: store == .memory ? 0 : 3)
      let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
      #expect(await eventually { host.store.isWaiting })
      let client = try await blocking {
        try PlainClient(
          host.url, saying: PlainClient.resume(welcome, attempt: 1, epoch: welcome.epoch, revision: 2))
      }
      host.store.hold(false)
      try await blocking {
        try client.next(#"{"t":"welcome","#)
        try client.act(2, #"{"write":"b"}"#)
        try client.next(#"{"t":"patch","rev":3,"base":2,"n":2,"#)
        client.cut()
      }
      // It can leave again, and be woken again, and end.
      #expect(await eventually { host.sessionCount == 0 })
      try await blocking {
        let last = try PlainClient(host.url, resuming: welcome, attempt: 2, revision: 3)
        #expect(try last.welcome.epoch == welcome.epoch && last.welcome.number == 2)
        try last.send(#"{"t":"bye"}"#)
        #expect(try last.end() == "ended 1000")
        #expect(try PlainClient(host.url, resuming: welcome, attempt: 3).end() == "none 4200")
      }
    }
  }

  // MARK: With one

  @Test(arguments: ServerSettings.Store.own)
  func idleSession_leavesMemory_andItsClientDoesNotNotice(_ store: ServerSettings.Store) async throws {
    try await withServer(store, idle: 1) { server, url in
      let client = try await blocking { try PlainClient(url) }
      for round in 1...2 {
        #expect(await eventually { server.sessionCount == 0 })
        try await blocking {
          try client.send(#"{"t":"ping"}"#)
          try client.next(#"{"t":"pong""#)
        }
        #expect(server.sessionCount == 0 && server.connectionCount == 1)
        try await blocking {
          try client.act(round, #"{"write":"\#(round)"}"#)
          try client.next(#"{"t":"patch","rev":\#(round + 1),"base":\#(round),"n":\#(round),"#)
        }
      }
      try await blocking {
        try client.send(#"[{"t":"resync"}]"#)
        #expect(try client.next(#"{"t":"snap""#).contains(#""lines":["1","2"]"#))
        try client.send(#"{"t":"bye"}"#)
        #expect(try client.end() == "ended 1000")
      }
      #expect(await eventually { server.sessionCount == 0 && server.connectionCount == 0 })
    }
  }

  /// Everything of an array that wakes a session is done, in order, and what is wrong is said.
  @Test func anyWord_wakesTheSession() async throws {
    try await withServer(.sqlite, idle: 1) { server, url in
      let client = try await blocking { try PlainClient(url) }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        let acts = (1...40).map { PlainClient.act($0, #"{"write":"\#($0)"}"#) }
        try client.send("[\(acts.joined(separator: ",")),{\"t\":\"check\"}]")
        for number in 1...40 {
          try client.next(#"{"t":"patch","rev":\#(number + 1),"base":\#(number),"n":\#(number),"#)
        }
        #expect(try client.next(#"{"t":"patch""#).contains(#""hash":"#))
      }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        try client.send(#"{"t":"act","n":42,"to":1,"a":"pop"}"#)
        #expect(try client.end() == "bad_message 4400")
      }
    }
  }

  /// A session that ends with its connection does not end while there is one.
  @Test(arguments: ServerSettings.Store.own)
  func idleSessionThatMayNotWait_wakesAsAnyOther(_ store: ServerSettings.Store) async throws {
    try await withServer(store, idle: 1, { $0.sessions.timeToLiveSeconds = 0 }) { server, url in
      let client = try await blocking { try PlainClient(url) }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
        client.cut()
      }
      #expect(await eventually { server.sessionCount == 0 && server.connectionCount == 0 })
      try await blocking {
        let end = try PlainClient(url, resuming: try client.welcome, attempt: 1).end()
        #expect(end == "none 4200")
      }
    }
  }

  /// An action that comes while the session is written finds it there, and what was written is not what counts.
  @Test(arguments: ServerSettings.Store.own)
  func actionWhileTheSessionLeaves_keepsIt(_ store: ServerSettings.Store) async throws {
    let base: any SessionStore =
      store == .memory ? MemoryStore() : try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with([Logbook.app()], on: base, { $0.sessions.idleRestSeconds = 1 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      let last = Atomic(0)
      let act = { @Sendable (text: String) throws in
        let number = last.add(1, ordering: .relaxed).newValue
        try client.act(number, #"{"write":"\#(text)"}"#)
        try host.waitUntilRun(number, of: client)
      }
      let isAnswered = { @Sendable () throws in
        let number = last.load(ordering: .relaxed)
        try client.next(#"{"t":"patch","rev":\#(number + 1),"base":\#(number),"n":\#(number),"#)
      }
      for _ in 1...2 {
        host.store.hold(at: store == .memory ? "create" : "write")
        // On a machine with other work it may have left before that: then it is called back.
        while await eventually({ host.store.isWaiting || host.sessionCount == 0 }), !host.store.isWaiting {
          host.store.hold(false)
          try await blocking {
            try act("c")
            try isAnswered()
          }
          host.store.hold(at: "write")
        }
        #expect(host.store.isWaiting)
        let loads = host.store.requests.count { $0 == "load" }
        try await blocking {
          try act("a")
          #expect(throws: CurlError.timedOut) { try client.next(timeout: 100) }
        }
        host.store.hold(false)
        try await blocking { try isAnswered() }
        // It had not left; by now it may have.
        #expect(host.store.requests.count { $0 == "load" } == loads)
        #expect(await eventually { host.sessionCount == 0 })
        try await blocking {
          try act("b")
          try isAnswered()
        }
      }
      try await blocking {
        try client.send(#"{"t":"bye"}"#)
        #expect(try client.end() == "ended 1000")
      }
    }
  }

  // MARK: Effects

  /// What runs would be cut off, so its session stays; what starts again by itself is no reason to.
  @Test(arguments: ServerSettings.Store.own)
  func sessionWithAnEffect_stays(_ store: ServerSettings.Store) async throws {
    let outside = Logbook.Outside()
    try await withServer(store, outside, rest: 1, idle: 1) { server, url in
      let (busy, away, napping) = try await blocking {
        let busy = try PlainClient(url)
        try busy.act(1, #"{"work":"w"}"#)
        let away = try PlainClient(url)
        try away.act(1, #"{"work":"w"}"#)
        for client in [busy, away] { try client.next(#"{"t":"patch""#) }
        away.cut()
        return (busy, try away.welcome, try PlainClient(url))
      }
      #expect(await eventually { outside.runningCount == 2 })
      try await blocking {
        try napping.act(1, #"{"nap":"n"}"#)
        try napping.next(#"{"t":"patch""#)
      }
      // It began last, so the others have had their time when it goes.
      #expect(await eventually { server.sessionCount == 2 })
      #expect(await eventually { outside.runningCount == 2 })
      try await blocking {
        // It is told that it was interrupted: its view is another one.
        try napping.act(2, #"{"write":"a"}"#)
        #expect(try napping.next(#"{"t":"snap""#).contains(#""interrupted":["n"]"#))
        try napping.next(#"{"t":"patch","rev":2,"base":1,"n":2,"#)
        try busy.act(2, #"{"write":"a"}"#)
        try busy.next(#"{"t":"patch","rev":2,"base":1,"n":2,"#)
        #expect(try PlainClient(url, resuming: away, attempt: 1, revision: 1).welcome.epoch == away.epoch)
      }
      #expect(outside.runningCount == 2)
    }
  }

  // MARK: Waking

  /// The view shows something that no state has: it is another one, and the client is shown it as a whole.
  ///
  /// The log says so.
  @Test(arguments: ServerSettings.Store.own)
  func viewThatDiffersAtWake_isANewEpoch(_ store: ServerSettings.Store) async throws {
    let (outside, log) = (Logbook.Outside(), CollectedLog())
    try await withServer(store, outside, rest: 1, idle: 1, logger: log.logger) { server, url in
      let client = try await blocking { try PlainClient(url) }
      #expect(await eventually { server.sessionCount == 0 })
      outside.heading = "new"
      let epoch = try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        let snap = try JSONValue(parsing: try client.next(#"{"t":"snap""#))
        #expect(snap["view"]?["nodes"]?["1"]?["state"]?["heading"] == .string("new"))
        #expect(snap["rev"] == .integer(1))
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
        client.cut()
        return snap["epoch"]
      }
      #expect(await eventually { server.sessionCount == 0 })
      outside.heading = "newer"
      let welcome = try client.welcome
      try await blocking {
        let again = try PlainClient(url, resuming: welcome, attempt: 1, revision: 2)
        let third = try again.welcome.epoch
        #expect(third != welcome.epoch && .string(third) != epoch)
        try again.next(#"{"t":"snap""#)
      }
    }
    let told = log.all.filter { $0.message.hasPrefix("The session shows something else than before it rested") }
    #expect(told.map(\.level) == [.debug, .debug] && (told.first?["bytes"].flatMap { Int($0) } ?? 0) > 50)
  }

  @Test(arguments: ServerSettings.Store.own)
  func clientsOfOneSession_areWokenTogether(_ store: ServerSettings.Store) async throws {
    try await withServer(store, idle: 1) { server, url in
      let (one, two) = try await blocking {
        let one = try PlainClient(url)
        return (one, try PlainClient(url, joining: try one.share("act")))
      }
      for round in 1...2 {
        #expect(await eventually { server.sessionCount == 0 && server.connectionCount == 2 })
        try await blocking {
          try one.act(round, #"{"write":"a"}"#)
          // The other has not said a word.
          for client in [one, two] { try client.next(#"{"t":"patch","rev":\#(round + 1),"base":\#(round),"#) }
        }
      }
      try await blocking {
        try two.act(1, #"{"write":"b"}"#)
        for client in [one, two] { try client.next(#"{"t":"patch","rev":4,"base":3,"#) }
      }
    }
  }

  @Test(arguments: ServerSettings.Store.own)
  func sleepingClient_isOvertaken(_ store: ServerSettings.Store) async throws {
    try await withServer(store, idle: 1) { server, url in
      let old = try await blocking { try PlainClient(url) }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        let new = try PlainClient(url, resuming: try old.welcome, attempt: 1, revision: 1)
        #expect(try old.end() == "taken 4409")
        try new.act(1, #"{"write":"a"}"#)
        try new.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  /// A token that opens nothing wakes nobody: neither a session that rests, nor one that another process has.
  @Test(arguments: ServerSettings.Store.own)
  func wrongToken_leavesTheSessionAlone(_ store: ServerSettings.Store) async throws {
    try await withServer(store, rest: 1) { server, url in
      let welcome = try await blocking { try PlainClient.writeAndLeave(url) }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        #expect(try PlainClient(url, resuming: welcome, token: "stolen", attempt: 9).end() == "none 4401")
        let guest = try PlainClient(url, saying: #"{"t":"hello","share":"\#(welcome.sessionID).guessed"}"#)
        #expect(try guest.end() == "denied 4401")
      }
      #expect(server.sessionCount == 0)
      let again = try await blocking { try PlainClient(url, resuming: welcome, attempt: 1).welcome }
      #expect(again.number == 1)
    }
  }

  /// A shared token is good for ten minutes, whether its session rests or not.
  @Test func sharedToken_thatIsTooOld_opensNothing() async throws {
    try await withServer(.sqlite, rest: 1) { [self] server, url in
      let (old, new) = try await blocking {
        let client = try PlainClient(url)
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        defer { client.cut() }
        return (try client.share("act"), try client.share("act"))
      }
      #expect(await eventually { server.sessionCount == 0 })
      try await DatabaseQueue(path: directory.store).write {
        try $0.execute(sql: "UPDATE session SET invitations = json_replace(invitations, '$[0].expires', 1)")
      }
      let late = { @Sendable in try PlainClient(url, saying: #"{"t":"hello","share":"\#(old)"}"#).end() }
      #expect(try await blocking { try late() } == "denied 4401")
      #expect(server.sessionCount == 0)
      let guest = try await blocking { try PlainClient(url, joining: new) }
      #expect(try guest.welcome.clientID == 2 && server.sessionCount == 1)
      #expect(try await blocking { try late() } == "denied 4401")
    }
  }

  /// As long as one of a session's clients is there, the session is not forgotten.
  @Test func sleepingClientsThatGo_areNoted_theLastOne() async throws {
    try await withServer(.sqlite, idle: 1) { [self] server, url in
      let (one, two) = try await blocking {
        let one = try PlainClient(url)
        return (one, try PlainClient(url, joining: try one.share("view")))
      }
      #expect(await eventually { server.sessionCount == 0 })
      one.cut()
      #expect(await eventually { server.connectionCount == 1 })
      // A word of the other that does not wake it, and a commit behind what may have been noted.
      try await blocking {
        _ = try PlainClient(url, saying: #"{"t":"hello","share":"none.at.all"}"#).end()
      }
      #expect(try holder() == 1)
      two.cut()
      #expect(await eventually { (try? holder()) == 0 })
    }
  }
}
