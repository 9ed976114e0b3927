import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct MainRibletTests {
  private let test = TestRiblet(MainRiblet(someManager: SomeManager()))

  private func goToNextScreen() {
    test.send(.didSelectToGoToNextScreen, to: Screen1.self, at: "screens")
  }

  @Test func screen1_isAttachedAtOnce() {
    #expect(test.session.tree.typeName(at: .path("screens")) == "Screen1")
    #expect(test.session.children(on: "screens").count == 1)
  }

  @Test func goToNextScreen_attachesScreen2OnTop() {
    let screen1 = test.session.children(on: "screens")
    goToNextScreen()
    test.receive(.screen1(.goToNextScreen)) { $0.screens.push(.screen2) }
    #expect(test.session.children(on: "screens").count == 2)
    #expect(test.session.children(on: "screens").first == screen1.first)
    #expect(test.session.tree.typeName(at: .path("screens[1]")) == "Screen2")
  }

  @Test func secondGoToNextScreen_attachesNothing() {
    goToNextScreen()
    test.receive(.screen1(.goToNextScreen)) { $0.screens.push(.screen2) }
    let screens = test.session.children(on: "screens")
    goToNextScreen()
    test.receive(.screen1(.goToNextScreen))
    #expect(test.session.children(on: "screens") == screens)
  }

  @Test func completionOfScreen2_detachesIt() {
    goToNextScreen()
    test.receive(.screen1(.goToNextScreen)) { $0.screens.push(.screen2) }
    test.send(.didClose, to: Screen2.self, at: "screens[1]")
    test.receive(.screen2(.completion)) { $0.screens.pop() }
    #expect(test.session.children(on: "screens").count == 1)
    #expect(test.session.tree.typeName(at: .path("screens")) == "Screen1")
  }

  @Test func session_isSaved() throws {
    let session = try TestSession(MainRiblet(someManager: SomeManager()))
    try session.act(#""didSelectToAddSubView2""#, to: .path("screens"))
    try session.act(#"{"didSetLocalCount":4}"#, to: .path("screens"))
    try session.act(#""didSelectToGoToNextScreen""#, to: .path("screens"))
    try session.act(#""didSelectSubRoute1""#, to: .path("screens[1]"))
    let restored = try session.restored(as: MainRiblet(someManager: SomeManager()))
    #expect(restored.viewState(at: "screens")?.text == #"{"globalCount":0,"localCount":4}"#)
    #expect(restored.tree.typeName(at: .path("screens[1]/subRoute1")) == "NavigationSubRoute1")
  }

  @Test func sessionThatOnlyListens_mayRest() throws {
    let session = try TestSession(MainRiblet(someManager: SomeManager()))
    #expect(session.tree.effectCount == 1)
    #expect(!session.tree.hasVolatileEffects)
  }
}
