import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct HomeTests {
  @Test func home_countsUpAndDown() {
    let test = TestRiblet(Home())
    test.expectView(.init(count: 0))
    test.send(.plusTapped) { $0.count = 1 }
    test.send(.plusTapped) { $0.count = 2 }
    test.expectView(.init(count: 2))
    test.send(.minusTapped) { $0.count = 1 }
    test.send(.minusTapped) { $0.count = 0 }
    test.send(.minusTapped) { $0.count = -1 }
    test.expectView(.init(count: -1))
  }

  @Test func detailTapped_attachesADetailOfTheCount() {
    let test = TestRiblet(Home())
    test.send(.plusTapped) { $0.count = 1 }
    test.send(.detailTapped) { $0.detail.attach(1) }
    #expect(test.session.viewState(at: "detail")?.text == #"{"count":1}"#)
    // The detail keeps the count that it was built with.
    test.send(.plusTapped) { $0.count = 2 }
    #expect(test.session.viewState(at: "detail")?.text == #"{"count":1}"#)
  }

  @Test func secondDetailTapped_attachesNothing() {
    let test = TestRiblet(Home())
    test.send(.detailTapped) { $0.detail.attach(0) }
    let detail = test.session.children(on: "detail")
    test.send(.plusTapped) { $0.count = 1 }
    test.send(.detailTapped)
    #expect(test.session.children(on: "detail") == detail)
    #expect(detail.count == 1)
    #expect(test.session.viewState(at: "detail")?.text == #"{"count":0}"#)
  }

  @Test func closeTappedInTheDetail_isForItsParentToAct() {
    let test = TestRiblet(Home())
    test.send(.detailTapped) { $0.detail.attach(0) }
    test.send(.closeTapped, to: Detail.self, at: "detail")
    test.receive(.detail(.didTapClose)) { $0.detail.detach() }
    #expect(test.session.children(on: "detail") == [])
  }

  @Test func detailThatIsOpenedAgain_isANewOne() {
    let test = TestRiblet(Home())
    test.send(.detailTapped) { $0.detail.attach(0) }
    let first = test.session.children(on: "detail")
    test.send(.closeTapped, to: Detail.self, at: "detail")
    test.receive(.detail(.didTapClose)) { $0.detail.detach() }
    test.send(.detailTapped) { $0.detail.attach(0) }
    #expect(test.session.children(on: "detail").count == 1)
    #expect(test.session.children(on: "detail") != first)
  }

  @Test func back_leavesTheDetail() {
    let test = TestRiblet(Home())
    test.send(.detailTapped) { $0.detail.attach(0) }
    test.back { $0.detail.detach() }
    test.back()
  }

  @Test func closeTapped_isSaidToTheParent() {
    let test = TestRiblet(Home())
    test.send(.closeTapped)
    test.expectOutput(.didTapClose)
  }

  @Test func detail_closesNothingItself() {
    let test = TestRiblet(Detail(count: 3))
    test.expectView(.init(count: 3))
    test.send(.closeTapped)
    test.expectOutput(.didTapClose)
    test.expectView(.init(count: 3))
  }
}
