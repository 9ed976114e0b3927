import Logging
import Synchronization
import Testing
import Wire

@testable import RibServer
@testable import Showcase

@Suite struct SessionRegistryTests {
  private static let context = ServerContext(
    apps: [], files: StaticFiles(), settings: ServerSettings(),
    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

  /// A session that is not started, and the loop that it has to live on.
  private static func withSession(_ body: @Sendable (Session) throws -> Void) throws {
    let loop = try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000)
    try loop.executeAndWait {
      var reader = JSONReader()
      guard case .hello(let hello) = try ClientMessage(try reader.read(#"{"t":"hello","app":"counter"}"#).root) else {
        throw CancellationError()
      }
      try body(try Session(of: App("counter") { Counter() }, hello, token: "token", nil, from: nil, on: loop, context))
    }
    loop.stop()
  }

  private final class Answers: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func waiter(_ name: String) -> SessionRegistry<Session>.Waiter {
      { result in
        let text =
          switch result {
          case .success(.awake(let session)): session.id
          case .success(.resting(let session, _)): "rests \(session.client.attempt)"
          case .success(.elsewhere(let node)): "is at \(node)"
          case .failure(let ending): "\(ending.bye.rawValue) \(ending.message)"
          }
        self.texts.withLock { $0.append("\(name): \(text)") }
      }
    }
  }

  @Test func session_isLookedForOnce_andAllWhoWaitAreTold() throws {
    try Self.withSession { session in
      let registry = SessionRegistry<Session>()
      let answers = Answers()
      guard case .mustAsk = registry.find(session.id, SessionClaim(), answers.waiter("a")),
        case .waits = registry.find(session.id, SessionClaim(), answers.waiter("b")),
        case .mustAsk = registry.find("other", SessionClaim(), answers.waiter("c"))
      else {
        Issue.record("wrong searches")
        return
      }
      #expect(registry.count == 2 && answers.all.isEmpty)
      registry.finish(session.id, .success(.awake(session)))
      #expect(answers.all == ["a: \(session.id)", "b: \(session.id)"])
      guard case .found(let found) = registry.find(session.id, SessionClaim(), answers.waiter("d")) else {
        Issue.record("not found")
        return
      }
      #expect(found === session)
      registry.finish("other", .failure(Ending(.unavailable, "why")))
      #expect(answers.all.count == 3 && answers.all[2] == "c: unavailable why")
      // It may be there later: it is looked for again.
      guard case .mustAsk = registry.find("other", SessionClaim(), answers.waiter("e")) else {
        Issue.record("not looked for")
        return
      }
    }
  }

  /// Whose token opens nothing is told so alone; the store is asked for the next.
  @Test func deniedSearch_isNoOneElses() throws {
    try Self.withSession { session in
      let registry = SessionRegistry<Session>()
      let answers = Answers()
      for (name, hash) in [("a", "x"), ("b", "y"), ("c", nil)] {
        _ = registry.find(session.id, SessionClaim(tokenHash: hash), answers.waiter(name))
      }
      let state = StoreSample.state(clients: [StoreSample.client()])
      _ = registry.find(session.id, SessionClaim(tokenHash: "hash 1"), answers.waiter("d"))
      let isWaited = registry.deny(session.id, by: state, at: 0, Ending(.denied, "no")) != nil
      #expect(isWaited && answers.all == ["a: denied no", "b: denied no"])
      registry.finish(session.id, .success(.awake(session)))
      #expect(answers.all.suffix(2) == ["c: \(session.id)", "d: \(session.id)"])
      let isWaitedStill = registry.deny(session.id, by: state, at: 0, Ending(.denied, "no")) != nil
      #expect(!isWaitedStill)
      registry.remove(session, session.id)
      _ = registry.find(session.id, SessionClaim(tokenHash: "x"), answers.waiter("e"))
      let isWaitedAgain = registry.deny(session.id, by: state, at: 0, Ending(.denied, "no")) != nil
      #expect(!isWaitedAgain && registry.count == 0 && answers.all.last == "e: denied no")
    }
  }

  @Test func searchThatHasEnded_isNotEndedAgain() throws {
    try Self.withSession { session in
      let registry = SessionRegistry<Session>()
      let answers = Answers()
      registry.finish(session.id, .success(.awake(session)))
      #expect(registry.count == 0)
      registry.add(session, session.id)
      registry.finish(session.id, .failure(Ending(.gone, "")))
      guard case .found = registry.find(session.id, SessionClaim(), answers.waiter("a")) else {
        Issue.record("forgotten")
        return
      }
      #expect(answers.all.isEmpty)
    }
  }

  /// The one that left memory does not take its successor along.
  @Test func onlyTheSessionItself_isForgotten() throws {
    try Self.withSession { session in
      let registry = SessionRegistry<Session>()
      let answers = Answers()
      _ = registry.find(session.id, SessionClaim(), answers.waiter("a"))
      registry.remove(session, session.id)
      #expect(registry.count == 1, "it is being looked for")
      registry.finish(session.id, .success(.awake(session)))
      registry.remove(session, session.id)
      #expect(registry.count == 0)
    }
  }

  @Test func sleepers_areWokenOnce_whenTheirSessionIsBack() throws {
    try Self.withSession { session in
      let registry = SessionRegistry<Session>()
      let answers = Answers()
      func sleeper(_ client: Int, _ id: String) -> Sleeper {
        Sleeper(
          sessionID: id, client: client, attempt: 0, epoch: "", revision: 1,
          lease: SessionLease(row: 1, number: 1))
      }
      let mine = (0..<3).map { sleeper($0, session.id) }
      for one in mine { registry.add(one) { _ in answers.waiter("\(one.client)")(.failure(Ending(.gone, ""))) } }
      registry.add(sleeper(9, "other")) { _ in answers.waiter("9")(.failure(Ending(.gone, ""))) }
      let isLast = registry.remove(mine[1])
      #expect(!isLast)
      _ = registry.find(session.id, SessionClaim()) { _ in }
      registry.finish(session.id, .failure(Ending(.gone, "")))
      #expect(answers.all.isEmpty, "it is not back")
      for _ in 0..<2 {
        _ = registry.find(session.id, SessionClaim()) { _ in }
        registry.finish(session.id, .success(.awake(session)))
        registry.remove(session, session.id)
      }
      #expect(answers.all == ["0: gone ", "2: gone "])
      for one in [mine[0], mine[2]] { registry.add(one) { _ in } }
      #expect(registry.take(mine[1]) == false, "it was told")
      let firstIsLast = registry.remove(mine[0])
      let secondIsLast = registry.remove(mine[2])
      #expect(!firstIsLast && secondIsLast)
    }
  }

  // MARK: Sessions that rest on

  private static func resume(_ id: String, _ attempt: Int, client: Int = 1) -> SessionResume {
    SessionResume(
      sessionID: id, clientID: client, tokenHash: "hash \(client)", attempt: attempt, epoch: "e", revision: 1,
      program: "p")
  }

  private static func resting(_ id: String, _ attempt: Int) -> SessionRegistry<Session>.Found {
    let session = RestingSession(
      identity: StoreSample.identity(id), lease: SessionLease(row: 1, number: 2), state: StoreSample.state(),
      client: ClientRecord(id: 1, tokenHash: "hash 1", attempt: attempt, number: 0, scope: .act), nacks: [])
    let sleeper = Sleeper(
      sessionID: id, client: 1, attempt: attempt, epoch: "e", revision: 1, lease: session.lease)
    return .resting(session, sleeper)
  }

  /// What the store is asked, in short.
  private static func text(_ request: StoreRequest?) -> String {
    switch request {
    case .load(_, let hash, _)?: "load \(hash ?? "-")"
    case .resume(let resume)?: "resume \(resume.clientID) \(resume.attempt)"
    case nil: "none"
    default: "?"
    }
  }

  /// One after the other is asked for, as long as none needs the session in memory.
  @Test func clientsThatComeBack_areAskedForInTurn() throws {
    let registry = SessionRegistry<Session>()
    let answers = Answers()
    guard
      case .mustAsk(let first) = registry.find(
        "s", SessionClaim(tokenHash: "hash 1"), resuming: Self.resume("s", 1), answers.waiter("a")),
      case .waits = registry.find(
        "s", SessionClaim(tokenHash: "hash 2"), resuming: Self.resume("s", 7, client: 2), answers.waiter("b")),
      case .waits = registry.find(
        "s", SessionClaim(tokenHash: "hash 1"), resuming: Self.resume("s", 2), answers.waiter("c"))
    else {
      Issue.record("wrong searches")
      return
    }
    #expect(Self.text(first) == "resume 1 1")
    #expect(Self.text(registry.answerFirst("s", .success(Self.resting("s", 1)))) == "resume 2 7")
    #expect(Self.text(registry.answerFirst("s", .failure(Ending(.stale, "old")))) == "resume 1 2")
    // This one says a word, and that brings the session into memory for everybody.
    _ = registry.find("s", SessionClaim(), answers.waiter("d"))
    _ = registry.find("s", SessionClaim(tokenHash: "hash 1"), resuming: Self.resume("s", 3), answers.waiter("e"))
    #expect(Self.text(registry.answerFirst("s", .success(Self.resting("s", 2)))) == "load -")
    #expect(answers.all == ["a: rests 1", "b: stale old", "c: rests 2"])
    registry.finish("s", .failure(Ending(.gone, "")))
    #expect(answers.all.suffix(2) == ["d: gone ", "e: gone "] && registry.count == 0)
    #expect(Self.text(registry.answerFirst("s", .failure(Ending(.gone, "")))) == "none")
  }

  /// A token that is another client's opens the session, but not for this client.
  @Test func clientWithTheTokenOfAnother_isDeniedAlone() throws {
    let registry = SessionRegistry<Session>()
    let answers = Answers()
    let state = StoreSample.state(clients: [StoreSample.client(), StoreSample.client(2)])
    for (name, hash, client) in [("a", "hash 2", 1), ("b", "x", 1), ("c", "hash 2", 2)] {
      _ = registry.find(
        "s", SessionClaim(tokenHash: hash), resuming: Self.resume("s", 1, client: client), answers.waiter(name))
    }
    #expect(Self.text(registry.deny("s", by: state, at: 0, Ending(.denied, "no"))) == "resume 2 1")
    #expect(answers.all == ["a: denied no", "b: denied no"])
    #expect(Self.text(registry.deny("s", by: state, at: 0, Ending(.denied, "no"))) == "none")
    #expect(answers.all.count == 3 && registry.count == 0)
  }

  /// A client sleeps once, where it has come to last; all know the newest lease.
  @Test func sleeperThatHasComeAgain_overtakesTheFirst() throws {
    let registry = SessionRegistry<Session>()
    let calls = Mutex<[String]>([])
    func sleeper(_ client: Int, _ attempt: Int, _ lease: Int64) -> Sleeper {
      let sleeper = Sleeper(
        sessionID: "s", client: client, attempt: attempt, epoch: "", revision: 1,
        lease: SessionLease(row: 1, number: lease))
      return sleeper
    }
    func add(_ sleeper: Sleeper, _ name: String) {
      registry.add(sleeper) { call in calls.withLock { $0.append("\(name) \(call)") } }
    }
    let (first, other, second) = (sleeper(1, 1, 2), sleeper(2, 1, 3), sleeper(1, 2, 4))
    add(first, "placeholder")
    add(first, "first")
    add(other, "other")
    #expect(first.lease.number == 3)
    add(second, "second")
    #expect(calls.withLock { $0 } == ["first overtaken"])
    #expect(other.lease.number == 4)
    // The first one was still on its way.
    add(first, "first")
    #expect(calls.withLock { $0 } == ["first overtaken", "first overtaken"])
    let lasts = [registry.remove(first), registry.remove(second), registry.remove(other)]
    #expect(lasts == [false, false, true])
  }
}
