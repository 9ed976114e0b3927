import RibCore
import Synchronization
import Testing

@testable import RibServer

@Suite struct AuthenticationsTests {
  /// Answers when it is told to, whatever becomes of its task.
  private final class Deaf: SessionAuthenticator {
    private struct Content {
      var asked = 0
      var waiting: [CheckedContinuation<Void, Never>] = []
      var isOpen = false
    }
    private let content = Mutex(Content())

    var asked: Int { content.withLock { $0.asked } }

    func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
      await withCheckedContinuation { continuation in
        let isOpen = content.withLock { content in
          content.asked += 1
          if !content.isOpen { content.waiting.append(continuation) }
          return content.isOpen
        }
        if isOpen { continuation.resume() }
      }
      return nil
    }

    /// Answers all that was asked, and whatever will be.
    func open() {
      let waiting = content.withLock { content in
        content.isOpen = true
        defer { content.waiting = [] }
        return content.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  private let deaf = Deaf()
  private let clock = TestClock()
  private let answers = Answers()

  /// How many were answered.
  private final class Answers: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
  }

  private func makeAuthentications() -> Authentications {
    var environment = Environment.system
    environment.time = clock.clock
    return Authentications(deaf, environment, patience: 10)
  }

  private func ask() -> Authentication {
    let request = AuthenticationRequest(.begin(app: "a"), credential: nil)
    return Authentication(.credential(request), at: clock.clock.monotonic(), nil, { _, _ in }) { [answers] _ in
      answers.add()
    }
  }

  @Test func authenticator_isAskedAbout64AtATime() async {
    let authentications = makeAuthentications()
    let all = (0..<200).map { _ in ask() }
    for one in all { #expect(authentications.begin(one)) }
    #expect(await eventually { deaf.asked == Authentications.limit })
    deaf.open()
    #expect(await eventually { deaf.asked == 200 })
    #expect(await eventually { answers.count == 200 })
  }

  /// Each that is given up makes room for another one, up to a bound: what hangs takes memory.
  @Test func thoseThatHang_areBounded() async {
    let authentications = makeAuthentications()
    let all = (0..<3000).map { _ in ask() }
    for one in all { _ = authentications.begin(one) }
    for one in all {
      #expect(await eventually { !one.isWaiting || deaf.asked >= Authentications.abandonedLimit })
      authentications.giveUp(one)
    }
    #expect(deaf.asked <= Authentications.abandonedLimit + Authentications.limit)
    #expect(!authentications.begin(ask()))
    deaf.open()
    #expect(await eventually { authentications.begin(ask()) })
  }

  /// Coming and going does not get anybody more places than there are, until those would have been given up anyway.
  @Test func clientsThatLeave_keepTheirPlaces_forAsLongAsTheyWouldHaveWaited() async {
    let authentications = makeAuthentications()
    let gone = (0..<Authentications.limit).map { _ in ask() }
    for one in gone { _ = authentications.begin(one) }
    #expect(await eventually { deaf.asked == Authentications.limit })
    for one in gone { authentications.leave(one) }
    let next = ask()
    #expect(authentications.begin(next) && next.isWaiting)
    clock.advance(10)
    #expect(authentications.begin(ask()))
    #expect(await eventually { deaf.asked == Authentications.limit + 2 })
    deaf.open()
  }

  /// Many that have left while they waited are passed over, however many.
  @Test func thoseThatLeftWhileTheyWaited_areNotAskedAbout() async {
    let authentications = makeAuthentications()
    let first = (0..<Authentications.limit).map { _ in ask() }
    let waiting = (0..<10_000).map { _ in ask() }
    for one in first + waiting { #expect(authentications.begin(one)) }
    for one in waiting { authentications.leave(one) }
    deaf.open()
    #expect(await eventually { answers.count == Authentications.limit })
    #expect(deaf.asked == Authentications.limit)
  }
}
