import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct Screen1Tests {
  private let manager = SomeManager()

  /// The screen, once it has heard of the count.
  private func screen(globalCount: Int = 0) -> TestRiblet<Screen1> {
    let test = TestRiblet(Screen1(someManager: manager))
    test.receive(.globalCountChanged(globalCount), globalCount == 0 ? nil : { $0.globalCount = globalCount })
    return test
  }

  @Test func subViews_areAddedAndRemoved() {
    let test = screen()
    test.send(.didSelectToAddSubView1) { $0.subView1.attach() }
    #expect(test.session.tree.typeName(at: .path("subView1")) == "Screen1SubView1")
    #expect(test.session.viewState(at: "subView1")?.text == #"{"title":"Screen 1, sub-view 1"}"#)
    #expect(test.session.children(on: "subView2") == [])
    test.send(.didSelectToAddSubView2) { $0.subView2.attach() }
    #expect(test.session.tree.typeName(at: .path("subView2")) == "Screen1SubView2")
    #expect(test.session.viewState(at: "subView2")?.text == #"{"title":"Screen 1, sub-view 2"}"#)
    test.send(.didSelectToRemoveSubView1) { $0.subView1.detach() }
    #expect(test.session.children(on: "subView1") == [])
    #expect(test.session.children(on: "subView2").count == 1)
    test.send(.didSelectToRemoveSubView2) { $0.subView2.detach() }
    #expect(test.session.children(on: "subView2") == [])
    test.skipEffectsInFlight()
  }

  @Test func subViewThatIsThere_isNotAddedAgain() {
    let test = screen()
    test.send(.didSelectToAddSubView1) { $0.subView1.attach() }
    test.send(.didSelectToAddSubView1)
    test.send(.didSelectToAddSubView2) { $0.subView2.attach() }
    test.send(.didSelectToAddSubView2)
    test.skipEffectsInFlight()
  }

  @Test func subViewThatIsNotThere_isNotRemoved() {
    let test = screen()
    test.send(.didSelectToRemoveSubView1)
    test.send(.didSelectToRemoveSubView2)
    test.skipEffectsInFlight()
  }

  @Test func localCount_isTheScreensOwn() {
    let (test, other) = (screen(), screen())
    test.send(.didSetLocalCount(5)) { $0.localCount = 5 }
    test.send(.didSetLocalCount(3)) { $0.localCount = 3 }
    test.expectView(.init(globalCount: 0, localCount: 3))
    other.expectView(.init(globalCount: 0, localCount: 0))
    for test in [test, other] { test.skipEffectsInFlight() }
  }

  @Test func globalCount_isSeenByAll() {
    let (test, other) = (screen(), screen())
    test.send(.didSetGlobalCount(3)) { $0.globalCount = 3 }
    test.receive(.globalCountChanged(3))
    other.receive(.globalCountChanged(3)) { $0.globalCount = 3 }
    for test in [test, other] { test.expectView(.init(globalCount: 3, localCount: 0)) }
    // Set from 3 to 5: the manager adds 2.
    other.send(.didSetGlobalCount(5)) { $0.globalCount = 5 }
    other.receive(.globalCountChanged(5))
    test.receive(.globalCountChanged(5)) { $0.globalCount = 5 }
    for test in [test, other] { test.skipEffectsInFlight() }
  }

  @Test func screenThatComesLater_beginsWithTheGlobalCount() {
    manager.globalCount.update { $0 = 7 }
    screen(globalCount: 7).skipEffectsInFlight()
  }

  @Test func goToNextScreen_isSaidToTheParent() {
    let test = screen()
    test.send(.didSelectToGoToNextScreen)
    test.expectOutput(.goToNextScreen)
    test.skipEffectsInFlight()
  }

  @Test func numberOfAnySize_isTaken() {
    let test = screen()
    test.send(.didSetGlobalCount(.max)) { $0.globalCount = .max }
    test.receive(.globalCountChanged(.max))
    test.send(.didSetGlobalCount(.min)) { $0.globalCount = .min }
    test.receive(.globalCountChanged(.min))
    test.send(.didSetLocalCount(.min)) { $0.localCount = .min }
    test.skipEffectsInFlight()
  }
}
