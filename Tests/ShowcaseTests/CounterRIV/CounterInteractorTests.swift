import RibCore
import RibRIV
import RibTesting
import Testing

@testable import Showcase

struct CounterInteractorTests {
  private func feature() -> Feature<CounterInteractor, CounterAction, CounterDomain, CounterReducer, Counter.ViewState>
  {
    Feature(interactor: CounterInteractor(initialDomain: CounterDomain()), reducer: CounterReducer())
  }

  @Test func counter_countsUpDownAndBack() {
    let test = TestRiblet(feature())
    test.send(.decrement) { $0.count = -1 }
    test.expectView(.init(count: -1, isNegative: true))
    test.send(.increment) { $0.count = 0 }
    test.send(.increment) { $0.count = 1 }
    test.expectView(.init(count: 1, isNegative: false))
    test.send(.reset) { $0.count = 0 }
  }

  @Test func domains_areCollectedAsInRIV() throws {
    let test = TestRiblet(feature())
    #expect(try test.collect(2, performing: [.action(.increment), .action(.increment)]).map(\.count) == [1, 2])
    #expect(try test.collect(2, performing: [.action(.reset)], includeFirst: true).map(\.count) == [2, 0])
  }

  @Test func bothStyles_showTheSame() throws {
    let (structs, classes) = (try TestSession(Counter()), try TestSession(feature()))
    for action in ["increment", "increment", "decrement", "reset", "decrement"] {
      try structs.act("\"\(action)\"")
      try classes.act("\"\(action)\"")
      #expect(structs.view == classes.view)
      #expect(structs.lastPatch == classes.lastPatch)
    }
  }
}
