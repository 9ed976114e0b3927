import RibCore
import RibTesting
import Testing
import Wire

/// What is said of effects, and what can be done about them.
extension TestRibletTests {
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
      texts.first?.contains("\"ticking\" of Stopwatch, started by send(.start) at TestRibletTests+Effects.swift:")
        == true)
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
    await test.waitForEffectsToEnd()
    test.finish()
  }

  @Test func effect_thatHasSentAlready_isNotWaitedFor() async {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let test = TestRiblet(Stopwatch(clock: clock, stream: stream))
    test.send(.listen)
    for text in ["a", "b"] { continuation.yield(text) }
    for text in ["a", "b"] {
      await test.waitForEffects()
      test.receive(.noted(text)) { $0.note = text }
    }
    continuation.finish()
    await test.waitForEffectsToEnd()
  }

  @Test func effect_thatSleepsAndWaitsOutside_isWaitedFor() async {
    let gate = Gate()
    let test = TestRiblet(Stopwatch(clock: clock, gate: gate))
    test.send(.race)
    async let opened: Void = gate.open()
    await test.waitForEffects(evenAsleep: true)
    await opened
    test.receive(.ticked) { $0.seconds = 1 }
    clock.advance(by: .seconds(20))
  }

  @Test func waiting_forASleeper_saysHow() async {
    let texts = await failuresInTime {
      let test = stopwatch()
      test.send(.type("x"))
      await test.waitForEffects()
      test.skipEffectsInFlight()
    }
    #expect(texts.count == 1)
    #expect(
      texts.first?.hasPrefix("There is nothing to wait for outside of the test:\n\n  - The effect \"typing\"") == true)
    #expect(texts.first?.hasSuffix("is waited for with evenAsleep: true.") == true)
  }

  @Test func effectOfAnEmbeddedChild_isInFlightAtTheEnd() {
    let texts = failures {
      let test = TestRiblet(Gym(clock: clock))
      test.send(.flash, to: Lamp.self, at: "lamp")
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("The effect \"flashing\" of Lamp, started by send(.flash, to: Lamp) at") == true)
  }

  @Test func effectOfAnAttachedChild_isNotTheParents() {
    let test = TestRiblet(Gym(clock: clock))
    test.send(.open) { $0.watch.attach(1) }
    test.send(.start, to: Stopwatch.self, at: "watch")
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
      test.receive(.watch(.lap(1)))
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

  @Test func progress_thatWasAsserted_isNotWaitedForAgain() async {
    let gate = Gate()
    let test = TestRiblet(Stopwatch(clock: clock, gate: gate, startsAtOnce: false))
    test.send(.report)
    test.receive(.noted("begun")) { $0.note = "begun" }
    async let opened: Void = gate.open()
    await test.waitForEffects()
    await opened
    test.receive(.noted("done")) { $0.note = "done" }
    await test.waitForEffectsToEnd()
  }

  @Test func waiting_inVain_endsWithAFailure() async {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let texts = await failuresInTime {
      let test = TestRiblet(Stopwatch(clock: clock, stream: stream))
      test.send(.listen)
      await test.waitForEffects(atMost: .milliseconds(10))
      await test.waitForEffectsToEnd(atMost: .milliseconds(10))
      test.skipEffectsInFlight()
    }
    continuation.finish()
    #expect(texts.count == 2)
    #expect(texts.first?.hasPrefix("Nothing came for 0.01 seconds. In flight:\n\n  - The effect \"listen\"") == true)
  }

  @Test func effectsOfASession_areWaitedForOneByOne() async throws {
    let gate = Gate()
    let session = TestRiblet(Stopwatch(clock: clock, gate: gate), exhaustivity: .off).session
    try session.act("\"report\"")
    await session.waitForEffects()
    async let opened: Void = gate.open()
    await session.waitForEffects()
    await opened
    #expect(session.tree.state(of: 1, Stopwatch.self)?.note == "done")
  }

  @Test func heldEffects_areNotWaitedFor() async throws {
    let texts = await failuresInTime {
      let session = try? TestSession(Alarm(clock: clock))
      await session?.waitForEffects()
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("There is nothing to wait for: effects are held") == true)
  }

  @Test func clock_letsWhatIsUnderWayGoOnFirst() throws {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let session = try TestSession(Alarm(clock: clock, stream: stream), effects: .running)
    continuation.yield("tea")
    clock.advance(by: .seconds(1))
    #expect(session.viewState()?.text == "\"tea at 1.0 seconds\"")
    continuation.finish()
  }

  @Test func sessionsThatAnswerOneAnotherForEver_areStopped() throws {
    let topic = Topic<Int>()
    let texts = try failures {
      let sessions = try (1...2).map { _ in
        try TestSession(Echo(clock: clock, topic: topic), effects: .running)
      }
      topic.publish(1)
      clock.advance(by: .zero)
      #expect(sessions.allSatisfy { $0.tree.effectCount == 0 })
    }
    #expect(texts.contains { $0.hasPrefix("An effect, probably ") })
  }

  @Test func effect_thatPollsForEver_isStopped() {
    let texts = failures {
      let test = stopwatch(.off)
      test.send(.poll)
      #expect(test.session.tree.effectCount == 0)
    }
    #expect(texts.first?.hasPrefix("An effect, probably \"poll\" of Stopwatch") == true)
  }

  @Test func whatRunsAsLongAsTheRiblet_isFedAndSkipped() {
    let shown = SharedValue(1)
    let test = TestRiblet(Gauge(shown: shown))
    test.receive(.changed(1)) { $0 = 1 }
    shown.update { $0 = 2 }
    test.receive(.changed(2)) { $0 = 2 }
    test.skipEffectsInFlight()
  }

  @Test func whatRunsAsLongAsTheRiblet_isAFailureAtTheEnd() {
    let texts = failures {
      let test = TestRiblet(Gauge(shown: SharedValue(1)))
      test.receive(.changed(1)) { $0 = 1 }
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("skipEffectsInFlight()") == true)
  }

  @Test func heldEffects_waitForTheTest_andRunningOnesDoNot() throws {
    let held = try TestSession(Gauge(shown: SharedValue(7)))
    #expect(held.pendingEffects.contains(id: "shown"))
    #expect(held.viewState(at: "") == .integer(0))
    let running = try TestSession(Gauge(shown: SharedValue(7)), effects: .running)
    #expect(running.viewState(at: "") == .integer(7))
  }

  @Test func waiting_forNothing_isAFailure() async {
    let box = await failuresInTime { await stopwatch().waitForEffects() }
    #expect(box == ["There is nothing to wait for: no effect is in flight."])
  }
}
