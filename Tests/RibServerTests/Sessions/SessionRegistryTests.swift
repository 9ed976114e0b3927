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
      try body(try Session(of: App("counter") { Counter() }, hello, token: "token", on: loop, context))
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
          case .success(let session): session.id
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
      guard case .mustLoad = registry.find(session.id, nil, answers.waiter("a")),
        case .waits = registry.find(session.id, nil, answers.waiter("b")),
        case .mustLoad = registry.find("other", nil, answers.waiter("c"))
      else {
        Issue.record("wrong searches")
        return
      }
      #expect(registry.count == 2 && answers.all.isEmpty)
      registry.finish(session.id, .success(session))
      #expect(answers.all == ["a: \(session.id)", "b: \(session.id)"])
      guard case .found(let found) = registry.find(session.id, nil, answers.waiter("d")) else {
        Issue.record("not found")
        return
      }
      #expect(found === session)
      registry.finish("other", .failure(Ending(.unavailable, "why")))
      #expect(answers.all.count == 3 && answers.all[2] == "c: unavailable why")
      // It may be there later: it is looked for again.
      guard case .mustLoad = registry.find("other", nil, answers.waiter("e")) else {
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
        _ = registry.find(session.id, hash, answers.waiter(name))
      }
      let state = StoreSample.state(clients: [StoreSample.client()])
      _ = registry.find(session.id, "hash 1", answers.waiter("d"))
      let isWaited = registry.deny(session.id, by: state, Ending(.denied, "no"))
      #expect(isWaited && answers.all == ["a: denied no", "b: denied no"])
      registry.finish(session.id, .success(session))
      #expect(answers.all.suffix(2) == ["c: \(session.id)", "d: \(session.id)"])
      let isWaitedStill = registry.deny(session.id, by: state, Ending(.denied, "no"))
      #expect(!isWaitedStill)
      registry.remove(session, session.id)
      _ = registry.find(session.id, "x", answers.waiter("e"))
      let isWaitedAgain = registry.deny(session.id, by: state, Ending(.denied, "no"))
      #expect(!isWaitedAgain && registry.count == 0 && answers.all.last == "e: denied no")
    }
  }

  @Test func searchThatHasEnded_isNotEndedAgain() throws {
    try Self.withSession { session in
      let registry = SessionRegistry<Session>()
      let answers = Answers()
      registry.finish(session.id, .success(session))
      #expect(registry.count == 0)
      registry.add(session, session.id)
      registry.finish(session.id, .failure(Ending(.gone, "")))
      guard case .found = registry.find(session.id, nil, answers.waiter("a")) else {
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
      _ = registry.find(session.id, nil, answers.waiter("a"))
      registry.remove(session, session.id)
      #expect(registry.count == 1, "it is being looked for")
      registry.finish(session.id, .success(session))
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
      for one in mine { registry.add(one) { answers.waiter("\(one.client)")(.failure(Ending(.gone, ""))) } }
      registry.add(sleeper(9, "other")) { answers.waiter("9")(.failure(Ending(.gone, ""))) }
      let isLast = registry.remove(mine[1])
      #expect(!isLast)
      _ = registry.find(session.id, nil) { _ in }
      registry.finish(session.id, .failure(Ending(.gone, "")))
      #expect(answers.all.isEmpty, "it is not back")
      for _ in 0..<2 {
        _ = registry.find(session.id, nil) { _ in }
        registry.finish(session.id, .success(session))
        registry.remove(session, session.id)
      }
      #expect(answers.all == ["0: gone ", "2: gone "])
      for one in [mine[0], mine[2]] { registry.add(one) {} }
      #expect(registry.take(mine[1]) == false, "it was told")
      let firstIsLast = registry.remove(mine[0])
      let secondIsLast = registry.remove(mine[2])
      #expect(!firstIsLast && secondIsLast)
    }
  }
}
