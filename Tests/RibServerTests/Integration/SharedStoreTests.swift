import Testing
import Wire

@testable import RibServer

/// Of several processes on one store each may have any session: none shows what another may have gone on from.
@Suite(.timeLimit(.minutes(5))) struct SharedStoreTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func makeStore() throws -> SQLiteStore { try SQLiteStore(path: directory.store, durability: .process) }

  /// Who finds out that the store fails: the client itself, its session, or another one.
  enum Finder: CaseIterable {
    case client, session, otherSession
  }

  /// A client that has tried to come back elsewhere may know more than a process that cannot ask the store: it is not shown what
  /// may be older, and comes back later.
  @Test(arguments: [false, true], Finder.allCases)
  func clientThatMayHaveBeenElsewhere_isTurnedAway(isShared: Bool, finder: Finder) async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore(), isShared: isShared) { host in
      let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
      host.store.fail(true)
      switch finder {
      case .client: break
      case .otherSession:
        let other = try await blocking { try PlainClient(host.url) }
        #expect(other.greeting.contains(#""durability":"none""#), "\(other.greeting)")
      case .session:
        // Whoever comes with the next number has not been elsewhere.
        let next = try await blocking { try PlainClient(host.url, resuming: welcome, attempt: 1) }
        #expect(next.greeting.contains(#""durability":"none""#), "\(next.greeting)")
      }
      try await blocking {
        let attempt = finder == .session ? 3 : 2
        let client = try PlainClient(host.url, resuming: welcome, attempt: attempt)
        #expect(client.greeting.contains(isShared ? #""code":"unavailable""# : #""durability":"none""#))
        // Also when it tries again.
        let again = try PlainClient(host.url, resuming: welcome, attempt: attempt + 1)
        #expect(again.greeting.contains(isShared ? #""code":"unavailable""# : #""durability":"none""#))
      }
      host.store.fail(false)
      #expect(await eventually { host.isCommitted(welcome.sessionID) })
      try await blocking {
        let back = try PlainClient(host.url, resuming: welcome, attempt: 6)
        #expect(back.greeting.contains(#""n":1,"#) && back.greeting.contains(#""durability":"process""#))
      }
    }
  }

  /// The same where the store fails while the client's welcome waits for it.
  @Test(arguments: [false, true])
  func clientThatMayHaveBeenElsewhere_isNotWelcomedInTheEnd(isShared: Bool) async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore(), isShared: isShared) { host in
      let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
      host.store.hold(true)
      async let greeting = blocking { try PlainClient(host.url, resuming: welcome, attempt: 2).greeting }
      #expect(await eventually { host.attempt(of: welcome) == 2 })
      host.store.fail(true)
      host.store.hold(false)
      let text = try await greeting
      #expect(text.contains(isShared ? #""code":"unavailable""# : #""durability":"none""#), "\(text)")
    }
  }

  /// Such a client was not there: its session rests as if nobody had come.
  @Test func sessionOfAClientThatWasTurnedAway_rests() async throws {
    let store = try makeStore()
    try await StoreHost.with([Logbook.app()], on: store, isShared: true, { $0.sessions.restSeconds = 2 }) { host in
      let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
      host.store.fail(true)
      let turnedAway = try await blocking { try PlainClient(host.url, resuming: welcome, attempt: 2) }
      #expect(turnedAway.greeting.contains(#""code":"unavailable""#))
      host.store.fail(false)
      #expect(await eventually { host.sessionCount == 0 })
    }
  }

  /// Nothing binds a client of the HTTP twin to a process: none is answered from memory alone where another may have its session.
  @Test func twin_isNotAnsweredFromMemory_whereOthersMayHaveItsSession() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore(), isShared: true) { host in
      let client = try await blocking { () throws -> TwinClient in
        let client = try TwinClient(host.url)
        _ = try client.create(#"{"app":"logbook"}"#)
        #expect(try client.act(#""1""#, #"{"to":"","a":{"write":"a"}}"#).status == 200)
        host.store.fail(true)
        for _ in 0..<2 {
          #expect(try client.act(#""2""#, #"{"to":"","a":{"write":"b"}}"#).isProblem(503))
          #expect(try client.act(#""9""#, #"{"to":"","a":{"write":"b"}}"#).isProblem(503))
          #expect(try client.view().isProblem(503))
        }
        #expect(try client.end().isProblem(503))
        return client
      }
      host.store.fail(false)
      #expect(await eventually { host.isCommitted(client.sessionID) })
      try await blocking { () throws in
        #expect(try client.act(#""2""#, #"{"to":"","a":{"write":"b"}}"#).body == #"{"rev":3,"n":2,"nacks":[]}"#)
        #expect(try client.act(#""9""#, #"{"to":"","a":{"write":"b"}}"#).isProblem(409))
        #expect(try client.view().body.contains(#"["a","b"]"#))
      }
    }
  }

  /// When others have gone a session is nobody else's once it was written since.
  @Test func clientIsServed_onceItsSessionWasWrittenSinceOthersLeft() async throws {
    let (store, other) = (try makeStore(), try makeStore())
    var start = StoreStart()
    start.number = 1
    _ = try other.begin(start)
    _ = try store.perform([.probe])
    try await StoreHost.with([Logbook.app()], on: store, isShared: nil) { host in
      let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
      #expect(await eventually { host.isCommitted(welcome.sessionID) })
      other.close()
      _ = try store.perform([.probe])
      func comeBack(_ attempt: Int) async throws -> String {
        try await blocking { try PlainClient(host.url, resuming: welcome, attempt: attempt).greeting }
      }
      host.store.fail(true)
      // The other may have had it after it was written here.
      let first = try await comeBack(2)
      #expect(first.contains(#""code":"unavailable""#), "\(first)")
      host.store.fail(false)
      #expect(await eventually { host.isCommitted(welcome.sessionID) })
      let second = try await comeBack(3)
      #expect(second.contains(#""durability":"process""#), "\(second)")
      #expect(await eventually { host.isCommitted(welcome.sessionID) })
      host.store.fail(true)
      let third = try await comeBack(9)
      #expect(third.contains(#""durability":"none""#), "\(third)")
    }
  }

  /// A client that has joined elsewhere is unknown to a process that had the session before, until that asks the store.
  @Test func clientThatJoinedElsewhere_isKnown() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore(), isShared: true) { first in
      let welcome = try await blocking { try PlainClient.writeAndLeave(first.url) }
      #expect(await eventually { first.isAbandoned(welcome.sessionID) })
      try await StoreHost.with([Logbook.app()], on: try makeStore(), isShared: true) { second in
        let (guest, token) = try await blocking { () throws -> (Welcome, String) in
          let host = try PlainClient(second.url, resuming: welcome, attempt: 2)
          try host.next(#"{"t":"snap""#)
          let guest = try PlainClient(second.url, joining: try host.share("act"))
          let token = try host.share("act")
          guest.cut()
          return (try guest.welcome, token)
        }
        first.store.fail(true)
        try await blocking { () throws in
          let known = try PlainClient(first.url, resuming: guest, attempt: 1)
          #expect(known.greeting.contains(#""code":"unavailable""#), "\(known.greeting)")
          let invited = try PlainClient(first.url, saying: #"{"t":"hello","share":"\#(token)"}"#)
          #expect(try invited.next().contains(#""code":"unavailable""#))
          let twin = try TwinClient(first.url, sessionID: guest.sessionID, token: guest.token)
          #expect(try twin.view().isProblem(503))
        }
        first.store.fail(false)
        #expect(await eventually { first.isCommitted(welcome.sessionID) })
        try await blocking { () throws in
          let invited = try PlainClient(first.url, saying: #"{"t":"hello","share":"\#(token)"}"#)
          #expect(try invited.next().contains(#""cid":3"#))
          let stranger = try PlainClient(first.url, resuming: guest, token: welcome.token, attempt: 2)
          #expect(stranger.greeting.contains(#""code":"denied""#), "\(stranger.greeting)")
          let known = try PlainClient(first.url, resuming: guest, attempt: 3)
          #expect(known.greeting.contains(#""resumed":true"#), "\(known.greeting)")
        }
      }
    }
  }

  /// The same of the twin: each request may come to another process.
  @Test func twinThatJoinedElsewhere_isKnown() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore(), isShared: true) { first in
      let welcome = try await blocking { try PlainClient.writeAndLeave(first.url) }
      #expect(await eventually { first.isAbandoned(welcome.sessionID) })
      try await StoreHost.with([Logbook.app()], on: try makeStore(), isShared: true) { second in
        try await blocking { () throws in
          let host = try PlainClient(second.url, resuming: welcome, attempt: 2)
          try host.next(#"{"t":"snap""#)
          let invitation = #"{"share":"\#(try host.share("act"))"}"#
          let twin = try TwinClient(first.url)
          // Of that the first process knows nothing, until it asks.
          #expect(try twin.create(invitation).status == 503)
          #expect(try twin.create(invitation).status == 201)
          #expect(try twin.view().body.contains(#"["a"]"#))
          let stranger = try TwinClient(first.url, sessionID: twin.sessionID, token: "x")
          #expect(try stranger.view().isProblem(401))
        }
      }
    }
  }
}
