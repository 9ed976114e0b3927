import RibCore
import RibTesting
import Testing

/// What holds goes through; what does not, or was left out, fails with a text that says what to do.
struct TestRibletTests {
  private let clock = ManualClock()

  private func stopwatch(_ exhaustivity: Exhaustivity = .on) -> TestRiblet<Stopwatch> {
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
    test.receiveOutput(Stopwatch.Output.lap(3)) { $0.laps = [3] }
    test.back { $0.watch.detach() }
  }

  @Test func partOfTheState_isChangedByItsChild() {
    let test = TestRiblet(Gym(clock: clock))
    test.send(.toggle, to: Lamp.self, at: "lamp")
    test.receiveChange { $0.lamp.isOn = true }
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

        Assert each with receive, receiveOutput, receiveChange or expectOutput, or set exhaustivity to .off.
        """)
  }

  @Test func outputOfAChild_thatIsNotAsserted_isNamed() {
    let texts = failures {
      let test = TestRiblet(Gym(clock: clock))
      test.send(.open) { $0.watch.attach(1) }
      test.send(.lap, to: Stopwatch.self, at: "watch")
    }
    #expect(texts.first?.contains("- the child's output .lap(0) was received") == true)
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

  // MARK: Effects

  @Test func nothing_withoutAnEffect_isExplained() {
    let texts = failures { stopwatch().receive(.ticked) }
    #expect(texts.count == 1)
    #expect(
      texts.first == """
        Expected receive(.ticked), but nothing more has happened. No effect is in flight: no reducer has returned one that sends \
        it, or it has ended or was cancelled. Return the effect, or leave the assertion out.
        """)
  }

  @Test func nothing_whileAnEffectSleeps_saysHowLong() {
    let texts = failures {
      let test = stopwatch()
      test.send(.type("x"))
      test.receive(.noted("x"))
      test.skipEffectsInFlight()
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("The effect \"typing\" of Stopwatch, started by send(.type(\"x\")) at") == true)
    #expect(
      texts.first?.contains("sleeps on the test's clock for another 0.3 seconds: advance it with ") == true
        && texts.first?.contains("clock.advance(by: .milliseconds(300))") == true)
  }

  @Test func nothing_whileAnEffectIsOutside_saysWhich() {
    let texts = failures {
      let test = stopwatch()
      test.send(.wander)
      test.receive(.ticked)
      test.skipEffectsInFlight()
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("The effect \"wandering\" of Stopwatch, started by send(.wander)") == true)
    #expect(texts.first?.contains("waits for something outside of the test's control") == true)
  }

  @Test func effectInFlight_atTheEnd_isNamedWithItsOrigin() {
    let texts = failures {
      let test = stopwatch()
      test.send(.start) { $0.isRunning = true }
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The test has ended, and an effect is still in flight:\n\n  - The effect") == true)
    #expect(
      texts.first?.contains("\"ticking\" of Stopwatch, started by send(.start) at TestRibletTests.swift:") == true)
    #expect(clock.sleeperCount == 0)
  }

  @Test func effect_thatThrows_isNamed() {
    let texts = failures { stopwatch().send(.breakDown) }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The effect \"breakdown\" of Stopwatch, started by send(.breakDown) at") == true)
    #expect(
      texts.first?.contains("has thrown Breakdown(). A server logs that and the riblet never learns of it") == true)
  }

  @Test func effect_thatSendsWithoutEnd_isStopped() {
    let texts = failures {
      let test = stopwatch(.off)
      test.send(.babble)
      #expect(test.session.tree.effectCount <= 1)
    }
    #expect(texts.first?.hasPrefix("An effect, probably \"babble\" of Stopwatch, started by send(.babble) at") == true)
  }

  @Test func effect_thatArrivesAtTheVeryEnd_isNamed() {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let texts = failures {
      let test = TestRiblet(Stopwatch(clock: clock, stream: stream))
      test.send(.listen)
      continuation.yield("late")
    }
    #expect(texts.count == 2)
    #expect(texts.first?.contains("- the internal action .noted(\"late\") was received") == true)
    #expect(texts.last?.contains("\"listen\" of Stopwatch") == true)
  }

  @Test func effect_thatSendsFromElsewhere_isWaitedFor() async {
    let test = stopwatch()
    test.send(.shout)
    await test.waitForEffects()
    test.receive(.ticked) { $0.seconds = 1 }
    test.skipEffectsInFlight()
  }

  @Test func skippedEffect_startsNothing() {
    let test = stopwatch()
    test.send(.later("x"))
    test.skipEffectsInFlight()
    clock.advance(by: .seconds(2))
    test.send(.reset)
  }

  @Test func childsEffect_isNamedToo() {
    let texts = failures {
      let test = TestRiblet(Gym(clock: clock))
      test.send(.open) { $0.watch.attach(1) }
      test.send(.type("x"), to: Stopwatch.self, at: "watch")
      test.receiveOutput(Stopwatch.Output.lap(1))
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("The effect \"typing\" of Stopwatch") == true)
  }

  @Test func transaction_thatIsUndone_hasNotHappened() {
    let texts = failures {
      let test = stopwatch()
      test.send(.stumble)
      test.send(.reset)
      #expect(test.state == Stopwatch.State())
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The runtime has refused what an effect sent: The view") == true, "\(texts)")
  }

  @Test func waiting_forNothing_isAFailure() async {
    let box = await withKnownIssueTexts { await stopwatch().waitForEffects() }
    #expect(box == ["There is nothing to wait for: no effect is in flight."])
  }

  private func withKnownIssueTexts(_ body: () async -> Void) async -> [String] {
    nonisolated(unsafe) var texts: [String] = []
    await withKnownIssue {
      await body()
    } matching: { issue in
      texts += issue.comments.map(\.rawValue)
      return true
    }
    return texts
  }

  // MARK: Exhaustivity

  @Test func off_assertsWhatIsSaid() {
    let test = stopwatch(.off)
    test.send(.start)
    clock.advance(by: .seconds(3))
    test.send(.lap) { $0.isRunning = true }
    test.expectOutput(.lap(3))
    #expect(test.state.seconds == 3)
  }

  @Test func off_stillFailsForWhatIsNotTrue() {
    let texts = failures {
      let test = stopwatch(.off)
      test.send(.start) { $0.seconds = 1 }
      test.receive(.lapped(0))
    }
    #expect(texts.count == 2)
    #expect(texts.first?.hasPrefix("send(.start) left another state than the test expects.") == true)
    #expect(texts.last?.hasPrefix("Expected receive(.lapped(0)), but nothing more has happened. In flight:") == true)
  }

  @Test func offWithReport_saysWhatIsPassedOver() {
    let texts = failures {
      let test = stopwatch(.off(reporting: true))
      test.send(.lap)
      test.expectOutput(.lap(0))
      test.send(.lap)
      test.send(.reset)
    }
    #expect(
      texts == [
        "Passed over, as exhaustivity is off:\n\n  - the internal action .lapped(0) was received",
        """
        Passed over, as exhaustivity is off:

          - the internal action .lapped(0) was received
          - the output .lap(0) was sent to the parent
        """,
      ])
  }
}
