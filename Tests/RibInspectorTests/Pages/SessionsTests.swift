import RibCore
import RibServer
import RibTesting
import Synchronization
import Testing
import Wire

@testable import RibInspector

struct SessionsTests {
  private let panel = Panel()
  private let clock = ManualClock()

  private func page() -> TestRiblet<Sessions> {
    let test = TestRiblet(
      Sessions(service: panel.service(), clock: clock), props: Onlooker(isThere: false, name: "ada"),
      exhaustivity: .off)
    test.skipWhatHappened()
    return test
  }

  private var last: SessionSearch? { panel.state.withLock { $0.searches.last } }

  @Test func order_isReversed_whenItIsTappedAgain() {
    let test = page()
    #expect(last == SessionSearch())
    test.send(.orderTapped(.actions))
    test.skipWhatHappened()
    #expect(last == SessionSearch(order: .actions))
    test.send(.orderTapped(.actions))
    test.skipWhatHappened()
    #expect(last == SessionSearch(order: .actions, isReversed: true))
    test.send(.orderTapped(.idle))
    test.skipWhatHappened()
    #expect(last == SessionSearch(order: .idle))
  }

  @Test func filters_areSearchedFor_withinBounds() {
    let test = page()
    test.send(.textChanged("ad"))
    test.send(.appChosen("members"))
    test.send(.countChosen(1000))
    test.skipWhatHappened()
    #expect(last == SessionSearch(app: "members", text: "ad", count: SessionSearch.limit))
    test.send(.appChosen(""))
    test.send(.countChosen(-1))
    test.skipWhatHappened()
    #expect(last == SessionSearch(text: "ad", count: 1))
    test.send(.appChosen("nothing"), refused: "There is no app \"nothing\".")
  }
}
