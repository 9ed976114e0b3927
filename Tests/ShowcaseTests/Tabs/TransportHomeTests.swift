import RibTesting
import Testing

@testable import Showcase

struct TransportHomeTests {
  @Test func closeTapped_asksToBeLeft() {
    let test = TestRiblet(TransportHome())
    test.expectView(.init(title: "Transport"))
    test.send(.closeTapped)
    test.expectOutput(.pop)
  }
}
