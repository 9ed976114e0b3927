import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct Screen2Tests {
  private let test = TestRiblet(Screen2())

  @Test func subRoute1_coversTheScreen_untilItIsDone() {
    test.send(.didSelectSubRoute1) { $0.subRoute1.attach() }
    #expect(test.session.viewState(at: "subRoute1")?.text == #"{"title":"Sub-route 1"}"#)
    #expect(test.session.children(on: "subRoute2") == [])
    test.send(.didSelectSubRoute1)
    test.send(.didClose, to: NavigationSubRoute1.self, at: "subRoute1")
    test.receive(.subRoute1(.completion)) { $0.subRoute1.detach() }
    #expect(test.session.children(on: "subRoute1") == [])
  }

  @Test func subRoute2_coversTheScreen_untilItIsDone() {
    test.send(.didSelectSubRoute2) { $0.subRoute2.attach() }
    #expect(test.session.viewState(at: "subRoute2")?.text == #"{"title":"Sub-route 2"}"#)
    #expect(test.session.children(on: "subRoute1") == [])
    test.send(.didSelectSubRoute2)
    test.send(.didClose, to: NavigationSubRoute2.self, at: "subRoute2")
    test.receive(.subRoute2(.completion)) { $0.subRoute2.detach() }
    #expect(test.session.children(on: "subRoute2") == [])
  }

  @Test func subRoute_thatIsDone_leavesTheOther() {
    test.send(.didSelectSubRoute1) { $0.subRoute1.attach() }
    test.send(.didSelectSubRoute2) { $0.subRoute2.attach() }
    test.send(.didClose, to: NavigationSubRoute1.self, at: "subRoute1")
    test.receive(.subRoute1(.completion)) { $0.subRoute1.detach() }
    #expect(test.session.children(on: "subRoute2").count == 1)
  }

  @Test func close_isSaidToTheParent() {
    test.expectView(.init(title: "Screen 2"))
    test.send(.didClose)
    test.expectOutput(.completion)
  }
}
