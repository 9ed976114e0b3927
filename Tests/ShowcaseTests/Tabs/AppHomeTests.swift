import RibTesting
import Testing

@testable import Showcase

struct AppHomeTests {
  @Test func transportHomeTapped_asksForTransport() {
    let test = TestRiblet(AppHome())
    test.expectView(.init(title: "Home"))
    test.send(.transportHomeTapped)
    test.expectOutput(.push(.transportHome))
  }
}
