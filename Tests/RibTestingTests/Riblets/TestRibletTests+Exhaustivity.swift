import RibCore
import RibTesting
import Testing

/// How much has to be asserted.
extension TestRibletTests {
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

  @Test func offWithReport_saysWhatElseHasChanged() {
    let texts = failures {
      let test = stopwatch(.off(reporting: true))
      test.send(.start)
      clock.advance(by: .seconds(1))
      test.receive(.ticked) { $0.isRunning = true }
      test.skipEffectsInFlight()
    }
    #expect(texts.count == 2)
    #expect(texts.first?.hasPrefix("Passed over, as exhaustivity is off: send(.start) changed more than") == true)
    #expect(texts.first?.contains("+   isRunning: true") == true)
    #expect(texts.last?.contains("−   seconds: 0") == true && texts.last?.contains("+   seconds: 1") == true)
  }

  @Test func offWithReport_saysWhichEffectsAreLeft() {
    let texts = failures {
      let test = stopwatch(.off(reporting: true))
      test.send(.type("x"))
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("Passed over, as exhaustivity is off:\n\n  - The effect \"typing\"") == true)
  }

  @Test func skipping_nothing_isAFailure() {
    let texts = failures {
      let test = stopwatch()
      test.skipWhatHappened()
      test.skipEffectsInFlight()
      test.skipWhatHappened(strict: false)
      test.skipEffectsInFlight(strict: false)
    }
    #expect(texts.count == 2)
    #expect(texts.first?.hasPrefix("There is nothing to skip:") == true)
    #expect(texts.last?.hasPrefix("There is no effect to skip:") == true)
  }

  @Test func off_saysWhatHappenedInstead() {
    let texts = failures {
      let test = stopwatch(.off)
      test.send(.lap)
      test.receive(.lapped(5))
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("Expected receive(.lapped(5)), but what happened is:") == true)
    #expect(texts.first?.contains("- the internal action .lapped(0) was received") == true)
    #expect(texts.first?.contains("+ Stopwatch.InternalAction.lapped(0)") == true)
  }
}
