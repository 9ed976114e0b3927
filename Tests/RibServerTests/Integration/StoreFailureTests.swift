import CurlTransport
import Foundation
import GRDB
import RibClient
import Synchronization
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// A store that fails does not end a session: it goes on in memory, says so, and is written when the store is back.
@Suite(.timeLimit(.minutes(5))) struct StoreFailureTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func makeStore() throws -> SQLiteStore { try SQLiteStore(path: directory.store, durability: .process) }

  private static let none = #"{"t":"notice","durability":"none"}"#
  private static let process = #"{"t":"notice","durability":"process"}"#

  /// The state of a session's root, as it is in the file.
  private func stored(_ id: String) throws -> String? {
    let store = try makeStore()
    defer { store.close() }
    return try store.load(id)?.tree.nodes[1]?.state
  }

  // MARK: A lock

  /// Another program keeps the file locked for longer than the server waits for it.
  @Test func lockedFile_isSurvivedInMemory() async throws {
    try await withServer(
      apps: [Logbook.app()],
      { [directory] in
        $0.store = .sqlite
        $0.durability = .process
        $0.stateDirectory = directory.path
      }
    ) { [self] _, url in
      try await blocking {
        let client = try PlainClient(url)
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.store, configuration: configuration)
        try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        try client.act(2, #"{"write":"b"}"#)
        try client.act(3, #"{"write":"c"}"#)
        #expect(try client.next() == Self.none)
        for number in 2...3 { #expect(try client.next(#"{"t":"patch""#).contains(#""n":\#(number),"#)) }
        // Nobody waits for the disk now.
        try client.act(4, #"{"write":"d"}"#)
        #expect(try client.next(#"{"t":"patch""#).contains(#""n":4,"#))
        try other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        #expect(try client.next() == Self.process)
        try client.act(5, #"{"write":"e"}"#)
        try client.next(#"{"t":"patch""#)
        #expect(try stored(try client.welcome.sessionID)?.contains(#"["a","b","c","d","e"]"#) == true)
      }
    }
  }

  /// A client that is to go has been told nothing yet: what it is told now must not say that its session survives.
  @Test func clientThatLeaves_isNotWelcomedByAStoreThatFails() async throws {
    let host = try StoreHost([Logbook.app()], on: try makeStore())
    host.store.hold(true)
    let client = try await blocking { try PlainClient(host.url, saying: #"{"t":"hello","app":"logbook"}"#) }
    #expect(await eventually { host.store.isWaiting })
    host.store.fail(true)
    async let stopped: Void = host.stop()
    #expect(await eventually { host.isStopping })
    host.store.hold(false)
    let text = try await blocking { try client.socket.text() }
    #expect(text?.contains(#""code":"shutdown""#) == true)
    await stopped
  }

  /// The same of one that has connected again: it must not take that connection for a cut, and come back.
  @Test func overtakenClient_hearsSo_whenTheStoreFails() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let (welcome, guest) = try await blocking { () throws -> (Welcome, PlainClient) in
        let client = try PlainClient(host.url)
        defer { client.cut() }
        return (try client.welcome, try PlainClient(host.url, joining: try client.share("act")))
      }
      host.store.hold(true)
      let first = try await blocking { try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 1)) }
      #expect(await eventually { host.store.isWaiting })
      let second = try await blocking { try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 2)) }
      #expect(await eventually { host.attempt(of: welcome) == 2 })
      // One that goes after that has been told other things.
      try await blocking {
        try guest.act(1, #"{"write":"b"}"#)
        try guest.send(#"{"t":"bye"}"#)
      }
      let guestWelcome = try guest.welcome
      #expect(await eventually { host.hasLeft(guestWelcome) })
      host.store.fail(true)
      host.store.hold(false)
      try await blocking { () throws in
        #expect(try guest.next() == Self.none)
        #expect(try guest.next().contains(#""n":1,"#))
        #expect(try guest.next().contains(#""code":"ended""#))
        #expect(try first.next().contains(#""code":"taken""#))
        #expect(try second.next().contains(#""durability":"none""#))
      }
    }
  }

  // MARK: What waits when it fails

  /// What was done is told after what it survives, and in order; whatever came before the failure is no less true.
  @Test func replies_comeAfterTheNotice() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking { try client.act(1, #"{"write":"a"}"#) }
      #expect(await eventually { host.store.isWaiting })
      try await blocking {
        // For the next commit: it is answered with the others.
        let acts = [PlainClient.act(2, #"{"write":"b"}"#), PlainClient.act(3, #""wrong""#)]
        try client.send("[\(acts.joined(separator: ",")),{\"t\":\"ping\"}]")
        try host.waitUntilRun(3, of: client)
        #expect(throws: CurlError.timedOut) { try client.next(timeout: 50) }
        host.store.fail(true)
        host.store.hold(false)
        #expect(try client.next() == Self.none)
        #expect(try client.next(#"{"t":"patch""#).contains(#""n":1,"#))
        #expect(try client.next(#"{"t":"patch""#).contains(#""n":2,"#))
        try client.next(#"{"t":"nack","n":3,"#)
        try client.next(#"{"t":"pong"}"#)
        host.store.fail(false)
        #expect(try client.next() == Self.process)
      }
      let loaded = try #require(try host.store.load(try client.welcome.sessionID))
      #expect(loaded.tree.nodes[1]?.state?.contains(#"["a","b"]"#) == true)
      #expect(loaded.nacks.map(\.nack.number) == [3] && loaded.state.clients[0].number == 3)
    }
  }

  /// The first message of a connection is the `welcome`, also if the commit fails that it waits for.
  @Test(arguments: [false, true]) func welcome_saysThatTheStoreFails(isResumed: Bool) async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let first = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      let welcome = try first.welcome
      let client = try await blocking {
        let hello = isResumed ? PlainClient.resume(welcome, attempt: 1) : #"{"t":"hello","app":"logbook"}"#
        return try PlainClient(host.url, saying: hello)
      }
      #expect(await eventually { host.store.isWaiting })
      host.store.fail(true)
      host.store.hold(false)
      try await blocking {
        // It promises no more than what is true by then, and so needs no notice.
        #expect(try client.next(#"{"t":"welcome","#).contains(#""durability":"none""#))
        try client.next(#"{"t":"snap","#)
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        // Who comes now is told at once, and not twice.
        let late = try PlainClient(host.url)
        #expect(late.greeting.contains(#""durability":"none""#))
        try late.act(1, #"{"write":"a"}"#)
        try late.next(#"{"t":"patch""#)
        host.store.fail(false)
        #expect(try client.next() == Self.process)
        #expect(try late.next() == Self.process)
        try late.act(2, #"{"write":"b"}"#)
        try late.next(#"{"t":"patch""#)
      }
    }
  }

  /// A client is made to wait for commits, not for those that are not coming.
  @Test func manyActions_areAnsweredWhileTheStoreFails() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      try await blocking {
        let client = try PlainClient(host.url)
        host.store.fail(true)
        let count = 3 * WaitingActions.limit
        for number in 1...count { try client.act(number, #""pop""#) }
        var last = ""
        repeat { last = try client.next() } while !last.contains(#""n":\#(count),"#)
        host.store.fail(false)
        #expect(try client.next() == Self.process)
        for number in count + 1...2 * count { try client.act(number, #""pop""#) }
        repeat { last = try client.next() } while !last.contains(#""n":\#(2 * count),"#)
      }
    }
  }

  /// While a commit takes long, a client's actions are bounded: it is not read from.
  @Test func actionsThatWaitForACommit_areLimited() async throws {
    let outside = Logbook.Outside()
    try await StoreHost.with([Logbook.app(outside)], on: try makeStore()) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        let acts = (1...1000).map { PlainClient.act($0, #""pop""#) }
        try client.send("[\(acts.joined(separator: ","))]")
      }
      #expect(await eventually { host.store.isWaiting })
      try await blocking {
        try host.waitUntilRun(WaitingActions.limit, of: client)
        try client.send(#"{"t":"ping"}"#)
        // It is behind the actions, which are not run.
        #expect(throws: CurlError.timedOut) { try client.next(timeout: 200) }
        host.store.hold(false)
        #expect(try client.all(until: #"{"t":"pong""#).count == 1001)
      }
    }
  }

  /// An effect starts, and what it does is shown, once its cause is committed; or when it is known that it will not be.
  @Test(arguments: [false, true]) func effect_startsAfterTheCommit(fails: Bool) async throws {
    let outside = Logbook.Outside()
    try await StoreHost.with([Logbook.app(outside)], on: try makeStore()) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking { try client.send("[\(PlainClient.act(1, #"{"workAndWrite":"a"}"#)),{\"t\":\"ping\"}]") }
      #expect(await eventually { host.store.isWaiting })
      try await blocking {
        try host.waitUntilRun(1, of: client)
        #expect(throws: CurlError.timedOut) { try client.next(timeout: 100) }
        #expect(outside.log.isEmpty)
        host.store.fail(fails)
        host.store.hold(false)
        let texts = try client.all(until: #"{"t":"patch","rev":2,"#)
        #expect(texts.contains(Self.none) == fails)
        #expect(outside.log == ["began"])
      }
    }
  }

  /// It fails once more when it seemed to be back: the client is told of neither.
  @Test func storeThatFailsAgain_isNoNews() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      try await blocking {
        let client = try PlainClient(host.url)
        host.store.failWrites(true)
        try client.act(1, #"{"write":"a"}"#)
        #expect(try client.next() == Self.none)
        try client.next(#"{"t":"patch""#)
        // It has failed, seemed to work, and failed.
        try waitUntil { host.store.requests.count { $0 == "write" } >= 4 }
        try client.act(2, #"{"write":"b"}"#)
        try client.next(#"{"t":"patch""#)
        host.store.failWrites(false)
        #expect(try client.next() == Self.process)
        #expect(
          try host.store.load(try client.welcome.sessionID)?.tree.nodes[1]?.state?.contains(#"["a","b"]"#) == true)
      }
    }
  }

  /// A client that comes while the store fails is welcomed before it is told anything else.
  @Test func notice_neverComesBeforeTheWelcome() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let (welcome, other) = try await blocking {
        (try PlainClient.writeAndLeave(host.url), try PlainClient(host.url))
      }
      // Nothing of the first session is under way when the store fails.
      #expect(await eventually { host.store.requests.filter { $0 == "write" }.count >= 2 })
      host.store.fail(true)
      try await blocking {
        try other.act(1, #"{"write":"b"}"#)
        #expect(try other.next() == Self.none)
        let back = try PlainClient(host.url, resuming: welcome, attempt: 1)
        #expect(back.greeting.hasPrefix(#"{"t":"welcome""#) && back.greeting.contains(#""durability":"none""#))
        host.store.fail(false)
        #expect(try back.all(until: #"{"t":"notice""#).last == Self.process)
      }
    }
  }

  /// Also without a WebSocket a client is told what its answers survive.
  @Test func twin_saysThatTheStoreFails() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      try await blocking {
        let client = try TwinClient(host.url)
        _ = try client.create(#"{"app":"logbook"}"#)
        let action = { (line: String) in #"{"to":"","a":{"write":"\#(line)"}}"# }
        #expect(try client.act(#""1""#, action("a")).body == #"{"rev":2,"n":1,"nacks":[]}"#)
        host.store.fail(true)
        for number in 2...3 {
          let done = try client.act("\"\(number)\"", action("b"))
          #expect(done.body == #"{"rev":\#(number + 1),"n":\#(number),"nacks":[],"durability":"none"}"#)
        }
      }
      host.store.fail(false)
      #expect(await eventually { !host.writer.isFailing })
      // One whose commit fails is welcomed with what is true then, not with what was when it came.
      host.store.hold(true)
      async let late = blocking { try TwinClient(host.url).create(#"{"app":"logbook"}"#) }
      #expect(await eventually { host.store.isWaiting && host.sessionCount == 2 })
      host.store.fail(true)
      host.store.hold(false)
      #expect(try await late.json["durability"] == .string("none"))
      host.store.fail(false)
      #expect(await eventually { !host.writer.isFailing })
    }
  }

  /// A session without a client whose lease is lost makes room for others to rest.
  @Test func sessionsThatAreLostWhileTheyRest_doNotHoldUpOthers() async throws {
    let other = try makeStore()
    defer { other.close() }
    try await StoreHost.with([Logbook.app()], on: try makeStore(), { $0.sessions.restSeconds = 1 }) { host in
      var writes = 0
      // More than may rest at a time.
      for _ in 0..<70 {
        let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
        // That it is alone is written: a creation, an action, and that. From here on it rests, and nothing else.
        writes += 2
        let count = writes
        #expect(await eventually { host.store.requests.count { $0 == "write" } >= count })
        _ = try other.load(welcome.sessionID)
      }
      #expect(await eventually { host.sessionCount == 0 })
      let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
      #expect(await eventually { host.sessionCount == 0 })
      #expect(try other.load(welcome.sessionID)?.state.isHeld == false)
    }
  }
}
