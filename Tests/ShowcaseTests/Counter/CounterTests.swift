import RibTesting
import Testing

@testable import Showcase

struct CounterTests {
  @Test func counter_countsUpDownAndBack() {
    let test = TestRiblet(Counter())
    test.expectView(.init(count: 0, isNegative: false))
    test.send(.decrement) { $0.count = -1 }
    test.expectView(.init(count: -1, isNegative: true))
    test.send(.increment) { $0.count = 0 }
    test.send(.increment) { $0.count = 1 }
    test.send(.reset) { $0.count = 0 }
    test.send(.reset)
  }
}
