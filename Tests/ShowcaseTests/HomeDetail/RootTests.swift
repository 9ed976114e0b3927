import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct RootTests {
  @Test func homeTapped_attachesHome() {
    let test = TestRiblet(Root())
    #expect(test.session.children(on: "home") == [])
    test.send(.homeTapped) { $0.home.attach() }
    #expect(test.session.viewState(at: "home")?.text == #"{"count":0}"#)
  }

  @Test func secondHomeTapped_attachesNothing() {
    let test = TestRiblet(Root())
    test.send(.homeTapped) { $0.home.attach() }
    test.send(.plusTapped, to: Home.self, at: "home")
    test.send(.homeTapped)
    #expect(test.session.viewState(at: "home")?.text == #"{"count":1}"#)
  }

  @Test func closeTappedInHome_isForItsParentToAct() {
    let test = TestRiblet(Root())
    test.send(.homeTapped) { $0.home.attach() }
    test.send(.closeTapped, to: Home.self, at: "home")
    test.receive(.home(.didTapClose)) { $0.home.detach() }
    #expect(test.session.children(on: "home") == [])
  }

  @Test func homeThatIsClosed_takesItsDetailAndItsCountAlong() throws {
    let session = try TestSession(Root())
    try session.act(#""homeTapped""#)
    try session.act(#""plusTapped""#, to: .path("home"))
    try session.act(#""detailTapped""#, to: .path("home"))
    #expect(session.tree.nodeCount == 3)
    try session.act(#""closeTapped""#, to: .path("home"))
    #expect(session.tree.nodeCount == 1)
    try session.act(#""homeTapped""#)
    #expect(session.viewState(at: "home")?.text == #"{"count":0}"#)
    #expect(session.children(on: "detail", at: "home") == [])
  }

  @Test func session_isSaved() throws {
    let session = try TestSession(Root())
    try session.act(#""homeTapped""#)
    try session.act(#""plusTapped""#, to: .path("home"))
    try session.act(#""detailTapped""#, to: .path("home"))
    try session.act(#""plusTapped""#, to: .path("home"))
    let restored = try session.restored(as: Root())
    #expect(restored.viewState(at: "home")?.text == #"{"count":2}"#)
    #expect(restored.viewState(at: "home/detail")?.text == #"{"count":1}"#)
    try restored.act(#""closeTapped""#, to: .path("home/detail"))
    #expect(restored.children(on: "detail", at: "home") == [])
  }
}
