import RibCore
import RibTesting
import Synchronization
import Testing

extension EffectTimingTests {
  @Suite(.timeLimit(.minutes(5))) struct Timers {
    /// Does what it is told, and says what came of it.
    private struct Alarm: Riblet {
      static let typeName = "Alarm"
      enum ViewAction: Decodable { case ring, tick, stop, fail, handle, wait }
      enum InternalAction: Equatable, Sendable { case rang, ticked, failed(String) }
      struct Broken: Error {}

      let clock: ManualClock
      var present = SharedValue<[String]>([])
      var news = Topic<String>()

      func makeState() -> [String] { [] }

      func reduce(into log: inout [String], viewAction: ViewAction) -> Effect<Self> {
        switch viewAction {
        case .ring: return .after(.seconds(3), id: "alarm", clock: clock, .rang)
        case .tick: return .timer(every: .seconds(2), id: "tick", clock: clock, .ticked)
        case .stop: return .merge(.cancel(id: "alarm"), .cancel(id: "tick"), .cancel(id: "presence"))
        case .fail: return .run(id: "broken") { _ in throw Broken() }
        case .handle:
          return .run(id: "broken") { _ in
            throw Broken()
          } catch: { error, send in
            await send(.failed("\(type(of: error))"))
          }
        case .wait:
          return .run(id: "presence") { [present, news] send in
            send.update(present) { $0.append("here") }
            send.publish("came", to: news)
            await send.untilCancelled()
            // Revoked: nothing that an ended effect says arrives.
            send.update(present) { $0.append("not said") }
            present.update { $0.removeAll() }
          }
        }
      }

      func reduce(into log: inout [String], internalAction: InternalAction) -> Effect<Self> {
        log.append("\(internalAction)")
        return .none
      }

      func view(_ log: [String]) -> Int { log.count }
    }

    private let clock = ManualClock()

    @Test func after_sendsOnce() {
      let test = TestRiblet(Alarm(clock: clock))
      test.send(.ring)
      clock.advance(by: .seconds(2))
      // A second one takes the place of the first.
      test.send(.ring)
      clock.advance(by: .seconds(2))
      clock.advance(by: .seconds(1))
      test.receive(.rang) { $0.append("rang") }
      clock.advance(by: .seconds(10))
    }

    @Test func timer_sendsAtMultiplesOfItsInterval() {
      let test = TestRiblet(Alarm(clock: clock))
      test.send(.tick)
      clock.advance(by: .seconds(2))
      test.receive(.ticked) { $0.append("ticked") }
      clock.advance(by: .seconds(1))
      clock.advance(by: .seconds(1))
      test.receive(.ticked) { $0.append("ticked") }
      test.send(.stop)
      clock.advance(by: .seconds(10))
    }

    /// A clock on which a sleeper wakes late; it notes what was slept for.
    private final class LateClock: Clock, Sendable {
      struct Instant: InstantProtocol {
        var offset = Duration.zero
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
      }

      private let life: Mutex<(now: Instant, lateness: [Duration], deadlines: [Duration])>

      init(_ lateness: [Duration]) { life = Mutex((Instant(), lateness, [])) }

      var now: Instant { life.withLock { $0.now } }
      var minimumResolution: Duration { .zero }
      var deadlines: [Duration] { life.withLock { $0.deadlines } }

      func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try life.withLock { life in
          life.deadlines.append(deadline.offset)
          guard !life.lateness.isEmpty else { throw CancellationError() }
          life.now = max(life.now, deadline).advanced(by: life.lateness.removeFirst())
        }
      }
    }

    @Test func timesThatPassMeanwhile_areLeftOut() async {
      struct Ticker: Riblet {
        static let typeName = "Ticker"
        enum ViewAction: Decodable { case start }
        enum InternalAction: Equatable, Sendable { case ticked }
        let clock: LateClock
        func makeState() -> Int { 0 }
        func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
          .timer(every: .seconds(10), id: "tick", clock: clock, .ticked)
        }
        func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> {
          count += 1
          return .none
        }
        func view(_ count: Int) -> Int { count }
      }
      let clock = LateClock([.seconds(1), .seconds(25), .zero, .seconds(10)])
      let test = TestRiblet(Ticker(clock: clock))
      test.send(.start)
      await test.waitForEffectsToEnd()
      for _ in 1...4 { test.receive(.ticked) { $0 += 1 } }
      // 1 s late: the next one is where it was to be. 25 s late: 30 and 40 have passed. Exactly an interval late: 60 has.
      #expect(clock.deadlines == [10, 20, 50, 60, 80].map { .seconds($0) })
    }

    @Test(arguments: [(false, false), (true, false), (true, true)])
    func after_letsTheSessionRestAsItSays(_ resumable: Bool, _ mayMiss: Bool) throws {
      struct Waiting: Riblet {
        static let typeName = "Waiting"
        enum InternalAction: Sendable { case rang }
        let clock: ManualClock
        let resumable: Bool
        let mayMiss: Bool
        func makeState() -> Int { 0 }
        func didBecomeActive(_ state: inout Int) -> Effect<Self> {
          .after(.seconds(3), id: "alarm", clock: clock, resumable: resumable, mayMiss: mayMiss, .rang)
        }
        func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> { .none }
        func view(_ state: Int) -> Int { state }
      }
      let session = try TestSession(Waiting(clock: clock, resumable: resumable, mayMiss: mayMiss))
      #expect(session.tree.hasVolatileEffects == !resumable)
      let mayRest = if case .may = session.tree.restWithClients { true } else { false }
      #expect(mayRest == mayMiss)
    }

    @Test func cancel_endsWhatWaits() {
      let test = TestRiblet(Alarm(clock: clock))
      test.send(.ring)
      test.send(.stop)
      clock.advance(by: .seconds(10))
    }

    @Test func handler_isToldOfTheError() {
      let test = TestRiblet(Alarm(clock: clock))
      test.send(.handle)
      test.receive(.failed("Broken")) { $0.append(#"failed("Broken")"#) }
      withKnownIssue { test.send(.fail) }
    }

    @Test func handler_isNotToldOfACancellation() {
      struct Sleeper: Riblet {
        static let typeName = "Sleeper"
        enum ViewAction: Decodable { case sleep, wake }
        enum InternalAction: Equatable, Sendable { case failed }
        let clock: ManualClock
        func makeState() -> Int { 0 }
        func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
          switch viewAction {
          case .sleep:
            .run(id: "sleep") { [clock] _ in
              try await clock.sleep(for: .seconds(5))
            } catch: { _, send in
              await send(.failed)
            }
          case .wake: .cancel(id: "sleep")
          }
        }
        func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> { .none }
        func view(_ state: Int) -> Int { state }
      }
      let test = TestRiblet(Sleeper(clock: clock))
      test.send(.sleep)
      test.send(.wake)
    }

    @Test func effect_waitsUntilItIsCancelled_andCanClearUp() async {
      let alarm = Alarm(clock: clock)
      var news = alarm.news.subscribe().makeAsyncIterator()
      let test = TestRiblet(alarm)
      test.send(.wait)
      #expect(await news.next() == "came")
      #expect(alarm.present.value == ["here"])
      test.send(.stop)
      await test.waitForEffectsToEnd()
      #expect(alarm.present.value == [])
    }
  }
}
