import RibCore
import RibTesting
import Testing

/// What holds goes through; what does not, or was left out, fails with a text that says what to do.
struct TestRibletTests {
  let clock = ManualClock()

  func stopwatch(_ exhaustivity: Exhaustivity = .on) -> TestRiblet<Stopwatch> {
    TestRiblet(Stopwatch(clock: clock), exhaustivity: exhaustivity)
  }

  // MARK: What holds

  @Test func everythingAsserted_goesThrough() {
    let test = stopwatch()
    test.send(.start) { $0.isRunning = true }
    clock.advance(by: .seconds(2))
    test.receive(.ticked) { $0.seconds = 1 }
    test.receive(.ticked) { $0.seconds = 2 }
    test.expectView(.init(text: "2 s"))
    test.send(.lap)
    test.receive(.lapped(2))
    test.expectOutput(.lap(2))
    test.send(.stop) { $0.isRunning = false }
    clock.advance(by: .seconds(10))
    test.send(.reset) { $0.seconds = 0 }
    test.finish()
  }

  @Test func activation_isAsserted() {
    let test = TestRiblet(Stopwatch(clock: clock, startsAtOnce: true)) { $0.isRunning = true }
    clock.advance(by: .seconds(1))
    test.receive(where: { $0 == .ticked }) { $0.seconds = 1 }
    test.skipEffectsInFlight()
  }

  @Test func debounce_letsTheLastOneThrough() {
    let test = stopwatch()
    for text in ["a", "ab", "abc"] {
      test.send(.type(text))
      clock.advance(by: .milliseconds(200))
    }
    clock.advance(by: .milliseconds(100))
    test.receive(.noted("abc")) { $0.note = "abc" }
  }

  @Test func child_isRealAndSpeaks() {
    let test = TestRiblet(Gym(clock: clock))
    test.send(.open) { $0.watch.attach(1) }
    test.send(.start, to: Stopwatch.self, at: "watch")
    clock.advance(by: .seconds(3))
    test.send(.lap, to: Stopwatch.self, at: "watch")
    test.receive(.watch(.lap(3))) { $0.laps = [3] }
    test.back { $0.watch.detach() }
  }

  @Test func partOfTheState_isChangedByItsChild() {
    let test = TestRiblet(Gym(clock: clock))
    test.send(.toggle, to: Lamp.self, at: "lamp")
    test.receiveChange(at: "lamp") { $0.lamp.isOn = true }
  }

  @Test func state_isGiven() {
    let test = TestRiblet(Stopwatch(clock: clock), given: .init(seconds: 7, isRunning: true))
    test.send(.lap)
    test.receive(.lapped(7))
    test.expectOutput(where: { $0 == .lap(7) })
    test.send(.reset) { $0.seconds = 0 }
  }

  @Test func givenState_isWhatActivationBeginsWith() {
    let test = TestRiblet(Stopwatch(clock: clock, startsAtOnce: true), given: .init(seconds: 7)) { $0.isRunning = true }
    test.send(.stop) { $0.isRunning = false }
  }

  @Test func riblet_thatRemembersNothing_canBeTested() {
    let test = TestRiblet(Door())
    test.send(.knock)
    test.expectOutput(where: { if case .knocked = $0 { true } else { false } })
    test.expectView("a door")
  }

  @Test func outputOfAChild_isToldByAPredicate() {
    let test = TestRiblet(Gym(clock: clock))
    test.send(.open) { $0.watch.attach(1) }
    test.send(.lap, to: Stopwatch.self, at: "watch")
    test.receive(where: { $0 == .watch(.lap(0)) }) { $0.laps = [0] }
  }

  @Test func childThatChangesAsItBecomesActive_hasAPlace() {
    let test = TestRiblet(Hall())
    test.send(.enter) { $0.guest = .init() }
    test.receiveChange(at: "guest") { $0.guest?.isSeated = true }
  }

  @Test func stateIsMadeOnce() {
    let test = TestRiblet(Numbered(numbers: SharedValue(0)))
    #expect(test.state == 1)
  }

  @Test func whatTheSessionDoes_isReceived() throws {
    let test = TestRiblet(Gym(clock: clock))
    try test.session.act("\"open\"")
    test.receiveChange { $0.watch.attach(1) }
    try test.session.back()
    test.receiveChange { $0.watch.detach() }
    test.send(.lightUp) { $0.lamp.isOn = true }
  }

  @Test func effectOutside_isWaitedFor() async {
    let gate = Gate()
    let test = TestRiblet(Stopwatch(clock: clock, gate: gate))
    test.send(.wander)
    async let opened: Void = gate.open()
    await test.waitForEffects()
    await opened
    test.receive(.ticked) { $0.seconds = 1 }
  }

  // MARK: What does not

  @Test func state_thatIsAnother_isShown() {
    let texts = failures { stopwatch().send(.stop) { $0.seconds = 7 } }
    let lines = texts.first?.split(separator: "\n").map { $0.drop { !"−+(".contains($0) && !$0.isLetter } }
    #expect(
      lines == [
        "send(.stop) left another state than the test expects.", "Stopwatch.State(", "−   seconds: 7,",
        "+   seconds: 0,",
        "isRunning: false,", "note: \"\"", "", "(expected: −, actual: +)",
      ])
  }

  @Test func change_thatIsNotAsserted_isShown() {
    let texts = failures {
      let test = stopwatch()
      test.send(.start)
      test.skipEffectsInFlight()
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("send(.start) changed the state, and the test does not say how.") == true)
    #expect(
      texts.first?.contains("−   isRunning: false") == true && texts.first?.contains("+   isRunning: true") == true)
  }

  @Test func noChange_whereOneIsAsserted_isSaid() {
    let texts = failures { stopwatch().send(.reset) { $0.seconds = 0 } }
    #expect(texts.first?.hasPrefix("send(.reset) was expected to change the state") == true)
  }

  @Test func internalAction_thatIsNotAsserted_isNamedAtTheNextStep() {
    let texts = failures {
      let test = stopwatch()
      test.send(.type("x"))
      clock.advance(by: .seconds(1))
      test.send(.reset)
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("send(.reset): this has happened before, and was not asserted:") == true)
    #expect(texts.first?.contains("- the internal action .noted(\"x\") was received") == true)
  }

  @Test func whatIsLeft_isNamedAtTheEnd() {
    let texts = failures {
      let test = stopwatch()
      test.send(.lap)
    }
    #expect(texts.count == 1)
    #expect(
      texts.first == """
        The test has ended, and these have not been asserted:

          - the internal action .lapped(0) was received
          - the output .lap(0) was sent to the parent

        Assert each with receive, receiveChange or expectOutput, or set exhaustivity to .off.
        """)
  }

  @Test func whatTheSessionDoes_isNamedAtTheNextStep() {
    let texts = failures {
      let test = TestRiblet(Gym(clock: clock))
      _ = try? test.session.act("\"open\"")
      test.send(.lightUp) { $0.lamp.isOn = true }
    }
    #expect(texts.count == 1)
    #expect(
      texts.first?.contains("- the state was changed by the view action .open, sent through the session") == true)
  }

  @Test func change_byAnotherChild_isNoMatch() {
    let texts = failures {
      let test = TestRiblet(Gym(clock: clock))
      test.send(.toggle, to: Lamp.self, at: "lamp")
      test.receiveChange(at: "lamp[1]") { $0.lamp.isOn = true }
      test.skipWhatHappened()
    }
    #expect(texts.count == 1)
    #expect(
      texts.first?.hasPrefix("Expected receiveChange(at: \"lamp[1]\"), but what happened next is another:") == true)
    #expect(texts.first?.contains("the state was changed by Lamp at lamp[0], whose state is a part of it") == true)
  }

  @Test func outputOfAChild_thatIsNotAsserted_isNamed() {
    let texts = failures {
      let test = TestRiblet(Gym(clock: clock))
      test.send(.open) { $0.watch.attach(1) }
      test.send(.lap, to: Stopwatch.self, at: "watch")
    }
    #expect(texts.first?.contains("- the internal action .watch(.lap(0)) was received") == true)
  }

  @Test func anotherAction_isShownWithItsDifference() {
    let texts = failures {
      let test = stopwatch()
      test.send(.lap)
      test.receive(.lapped(5))
      test.skipWhatHappened()
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("Expected receive(.lapped(5)), but what happened next is another:") == true)
    #expect(texts.first?.contains("the internal action .lapped(0) was received") == true)
    #expect(texts.first?.contains("− Stopwatch.InternalAction.lapped(5)") == true)
    #expect(texts.first?.contains("+ Stopwatch.InternalAction.lapped(0)") == true)
  }

  @Test func order_counts() {
    let texts = failures {
      let test = stopwatch()
      test.send(.lap)
      test.expectOutput(.lap(0))
      test.receive(.lapped(0))
      test.expectOutput(.lap(0))
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasSuffix("Things are asserted in the order in which they happen.") == true)
  }

  @Test func view_thatIsAnother_isShown() {
    let texts = failures { stopwatch().expectView(.init(text: "1 s")) }
    #expect(texts.first?.hasPrefix("The view is another than the test expects.") == true)
    #expect(texts.first?.contains("text: \"0 s, stopped\"") == true)
  }

  @Test func activation_thatIsNotAsserted_isShown() {
    let texts = failures {
      TestRiblet(Stopwatch(clock: clock, startsAtOnce: true)).skipEffectsInFlight()
    }
    #expect(texts.first?.hasPrefix("the activation of Stopwatch changed the state") == true)
  }

  @Test func child_thatIsNotThere_isNamed() {
    let texts = failures { TestRiblet(Gym(clock: clock)).send(.lap, to: Stopwatch.self, at: "watch") }
    #expect(
      texts == ["There is no child at \"watch\": the state attaches none. Its children are lamp[0]."])
  }

  @Test func childOfAnotherType_isNamed() {
    let texts = failures { TestRiblet(Gym(clock: clock)).send(.lap, to: Stopwatch.self, at: "lamp") }
    #expect(texts.first?.contains("Node 2 is of Lamp, not of Stopwatch.") == true)
  }
}
