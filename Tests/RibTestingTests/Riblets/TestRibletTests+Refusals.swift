import RibCore
import RibTesting
import Testing

/// What reducers refuse.
extension TestRibletTests {
  @Test func refusal_isAsserted() {
    let test = TestRiblet(Outbox())
    test.send(.sendTapped, refused: "There is nothing to send.")
    test.send(.write("Hello")) { $0.draft = "Hello" }
    test.send(.pressed, to: OutboxButton.self, at: "button")
    test.receive(.button(.pressed)) { state in
      state.draft = ""
      state.sent = ["Hello"]
      state.attempts = 1
    }
  }

  @Test func refusalByTheParent_isOfTheChildsAction() {
    let test = TestRiblet(Outbox())
    test.send(.pressed, to: OutboxButton.self, at: "button", refused: "There is nothing to send.")
    #expect(test.state == Outbox.State())
  }

  @Test func refusal_thatDoesNotCome_isSaid() {
    let texts = failures {
      let test = TestRiblet(Outbox(), given: .init(draft: "Hello"))
      test.send(.sendTapped, refused: "There is nothing to send.")
      // The test goes on with what has happened.
      test.send(.write("again")) { $0.draft = "again" }
    }
    #expect(texts.count == 1)
    let start = #"send(.sendTapped) was to be refused with "There is nothing to send.", and was done."#
    #expect(texts.first?.hasPrefix(start) == true, "\(texts)")
    #expect(texts.first?.contains("+   attempts: 1") == true, "\(texts)")
  }

  @Test func refusal_forAnotherReason_isShown() {
    let texts = failures { TestRiblet(Outbox()).send(.sendTapped, refused: "The box is full.") }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("send(.sendTapped) was refused for another reason than the test expects.") == true)
    #expect(
      texts.first?.contains("− \"The box is full.\"") == true
        && texts.first?.contains("+ \"There is nothing to send.\"") == true, "\(texts)")
  }

  @Test func refusalByTheRuntime_isNoRefusalByARiblet() {
    let texts = failures { TestRiblet(Outbox()).send(.stumble, refused: "There is nothing to send.") }
    #expect(texts.count == 1)
    let start = #"send(.stumble) was to be refused by a riblet with "There is nothing to send.", and the runtime has "#
    #expect(
      texts.first?.hasPrefix("\(start)refused it as failed: The view state of Outbox cannot be encoded") == true,
      "\(texts)")
  }

  @Test func refusal_thatIsNotAsserted_saysHow() {
    let texts = failures {
      let test = TestRiblet(Outbox())
      test.send(.sendTapped)
      test.send(.pressed, to: OutboxButton.self, at: "button")
    }
    #expect(texts.count == 2)
    #expect(texts.first?.hasPrefix("A riblet has refused send(.sendTapped): There is nothing to send.") == true)
    #expect(texts.allSatisfy { $0.contains("asserted with refused:") }, "\(texts)")
  }

  @Test func refusal_ofAChildThatIsNotThere_isNone() {
    let texts = failures {
      TestRiblet(Outbox()).send(.pressed, to: OutboxButton.self, at: "buttons", refused: "There is nothing to send.")
    }
    #expect(texts == ["There is no child at \"buttons\": the state attaches none. Its children are button[0]."])
  }

  // MARK: Effects

  @Test func refusalOfWhatAnEffectSends_isAsserted_andTheEffectGoesOn() {
    let test = TestRiblet(Outbox())
    test.send(.ask(["", "yes"]))
    test.receive(refused: "Nobody has answered.")
    test.receive(.answered("yes")) { state in
      state.sent = ["yes"]
      state.attempts = 1
    }
    test.finish()
  }

  @Test func refusalOfWhatFollowsAnEffect_isAsserted() {
    let test = TestRiblet(Outbox())
    test.send(.wait)
    test.receive(refused: "It is too late.")
    test.finish()
  }

  @Test func refusalOfAnEffect_thatIsNotAsserted_isNamed() {
    let texts = failures {
      let test = TestRiblet(Outbox())
      test.send(.ask([""]))
      test.send(.write("Hello")) { $0.draft = "Hello" }
      test.send(.ask([""]))
      test.receive(refused: "Nobody is there.")
    }
    #expect(texts.count == 3)
    let line = "- what came of the effect \"ask\" of Outbox was refused: Nobody has answered."
    #expect(texts.first?.hasPrefix("send(.write(\"Hello\")): this has happened before, and was not asserted:") == true)
    #expect(texts.first?.contains(line) == true, "\(texts)")
    #expect(texts[1].hasPrefix("Expected receive(refused: \"Nobody is there.\"), but what happened next is another:"))
    #expect(texts.last?.hasPrefix("The test has ended, and this has not been asserted:") == true)
    #expect(texts.last?.contains(line) == true, "\(texts)")
  }

  @Test func refusalOfAnEffect_isPassedOver_withoutExhaustivity() {
    let test = TestRiblet(Outbox(), exhaustivity: .off)
    test.send(.ask(["", "yes"]))
    test.receive(.answered("yes")) { $0.sent = ["yes"] }
  }
}
