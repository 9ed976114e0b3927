import RibCore
import RibTesting
import Testing

extension TestRibletTests {
  private typealias State = Stopwatch.State

  @Test func collect_hasAStateForEachPass() throws {
    let clock = ManualClock()
    let test = TestRiblet(Stopwatch(clock: clock), clock: clock)
    let states = try test.collect(
      4, performing: [.action(.start), .wait(.seconds(2)), .action(.stop), .action(.reset)])
    #expect(states.map(\.seconds) == [0, 1, 2, 2])
    #expect(states.map(\.isRunning) == [true, true, true, false])
    // What came after that is passed over, and the test goes on from there.
    #expect(test.state == State())
  }

  @Test func collect_canBeRepeated_andBeginsWhereItIs() throws {
    let clock = ManualClock()
    let test = TestRiblet(Stopwatch(clock: clock), clock: clock)
    test.send(.start) { $0.isRunning = true }
    #expect(try test.collect(1, performing: [.wait(.seconds(1))]).map(\.seconds) == [1])
    #expect(try test.collect(1, performing: [.wait(.seconds(1))]).map(\.seconds) == [2])
    #expect(try test.collect(2, performing: [.wait(.seconds(1))], includeFirst: true).map(\.seconds) == [2, 3])
    test.send(.stop) { $0.isRunning = false }
  }

  @Test func collect_takesNothingFromOthers() throws {
    let clock = ManualClock()
    let test = TestRiblet(Stopwatch(clock: clock), clock: clock)
    var passes = 0
    let witness = test.session.tree.observer
    test.session.tree.observer = { event in
      witness?(event)
      if case .committed = event { passes += 1 }
    }
    _ = try test.collect(1, performing: [.action(.start), .action(.stop)])
    #expect(passes == 2)
    #expect(try test.session.snapshot() == test.session.view)
  }

  @Test func collect_waitsForTheRest() throws {
    let clock = ManualClock()
    let test = TestRiblet(Stopwatch(clock: clock), clock: clock)
    let states = try test.collect(3, performing: [.action(.start)], timeout: .seconds(2))
    #expect(states.map(\.seconds) == [0, 1, 2])
    #expect(clock.now.offset == .seconds(2))
    test.skipEffectsInFlight()
  }

  @Test func collect_waitsNoLongerThanItHasTo() throws {
    let clock = ManualClock()
    let test = TestRiblet(Stopwatch(clock: clock), clock: clock)
    #expect(try test.collect(3, performing: [.action(.start)], timeout: .seconds(60)).map(\.seconds) == [0, 1, 2])
    #expect(clock.now.offset == .seconds(2))
    #expect(test.state.seconds == 2)
    test.send(.stop) { $0.isRunning = false }
  }

  @Test func collect_thatIsNotFulfilled_throwsWhatThereWas() throws {
    let clock = ManualClock()
    let test = TestRiblet(Stopwatch(clock: clock), clock: clock)
    let error = try #require(throws: CollectionError<State>.self) {
      try test.collect(3, performing: [.action(.start)], timeout: .seconds(1))
    }
    guard case .unfulfilled(let states, 3) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(states.map(\.seconds) == [0, 1])
    #expect(
      error.description.hasPrefix("2 of 3 states were collected before nothing more happened:\n  State(seconds: 0"))
    test.skipEffectsInFlight()
  }

  @Test func collect_thatAsksForNothing_isRefused() throws {
    let test = TestRiblet(Stopwatch(clock: ManualClock()))
    for count in [0, -1] {
      #expect(throws: CollectionError<State>.self) { try test.collect(count, performing: []) }
    }
    #expect(throws: CollectionError<State>.self) { try test.collect(1, performing: [], timeout: .zero) }
    let error = #expect(throws: CollectionError<State>.self) { try test.collect(1, performing: [.wait(.seconds(1))]) }
    #expect(error?.description == "The test waits, but its TestRiblet has no clock: TestRiblet(riblet, clock: clock).")
  }

  @Test func collect_isToldWhatWasLeftOut() throws {
    let texts = try failures {
      let test = TestRiblet(Stopwatch(clock: ManualClock()))
      test.send(.lap)
      _ = try test.collect(1, performing: [.action(.reset)])
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("collect: these have happened before, and were not asserted:") == true)
  }
}
