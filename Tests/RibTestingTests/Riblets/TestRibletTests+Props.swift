import RibCore
import RibTesting
import Testing

/// What a riblet is told by its parent, the test tells it.
extension TestRibletTests {
  @Test func props_areToldAtTheStart_andLater() {
    let test = TestRiblet(Row(), props: .init(isSelected: false))
    test.setProps(.init(isSelected: true)) { $0.isSelected = true }
    test.expectOutput(.selected)
    test.send(.tapped) { $0.isOpen = true }
    test.setProps(.init(isSelected: false)) { $0.isSelected = false }
    test.expectView(.init(isOpen: true))
  }

  @Test func propsAtTheStart_areAssertedWithTheActivation() {
    let test = TestRiblet(Row(), props: .init(isSelected: true)) { state in
      state.isSelected = true
      state.isOpen = true
    }
    test.expectOutput(.selected)
  }

  @Test func propsAtTheStart_thatAreNotAsserted_areShown() {
    let texts = failures {
      let test = TestRiblet(Row(), props: .init(isSelected: true))
      test.expectOutput(.selected)
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("the activation of Row changed the state") == true)
    #expect(texts.first?.contains("+   isSelected: true") == true && texts.first?.contains("+   isOpen: true") == true)
  }

  @Test func givenState_isWhatPropsAreToldIn() {
    let test = TestRiblet(Row(), props: .init(isSelected: true), given: .init(isSelected: true, isOpen: true))
    test.setProps(.init(isSelected: false)) { $0.isSelected = false }
  }

  @Test func props_thatAreTheSame_areNotToldAgain() {
    let test = TestRiblet(Parrot(), props: "a")
    test.expectOutput("a")
    test.setProps("a")
    test.setProps("b")
    test.expectOutput("b")
  }

  @Test func props_thatChangeSomethingElse_areShown() {
    let texts = failures {
      let test = TestRiblet(Row(), props: .init(isSelected: false))
      test.setProps(.init(isSelected: true)) { $0.isOpen = true }
      test.skipWhatHappened()
    }
    #expect(texts.count == 1)
    #expect(
      texts.first?.hasPrefix(
        "setProps(Props(isSelected: true, isLocked: false)) left another state than the test expects.") == true)
  }

  @Test func props_thatAreRefused_leaveTheFormerOnes() {
    let test = TestRiblet(Row(), props: .init(isSelected: false))
    test.setProps(.init(isSelected: true, isLocked: true), refused: "The row is locked.")
    // What was told before is told no second time, and so is not locked either.
    test.setProps(.init(isSelected: false))
    test.setProps(.init(isSelected: true)) { $0.isSelected = true }
    test.expectOutput(.selected)
  }

  @Test func whatAChildIsTold_changesItsPart() {
    let test = TestRiblet(Table())
    test.send(.select) { $0.isSelected = true }
    test.receiveChange(at: "row") { $0.row.isSelected = true }
    test.receive(.row(.selected))
  }
}
