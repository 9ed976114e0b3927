import RibCore
import RibTesting
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
