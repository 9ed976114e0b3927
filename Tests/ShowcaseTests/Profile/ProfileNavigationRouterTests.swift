import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct ProfileNavigationRouterTests {
  private let test = TestRiblet(ProfileNavigationRouter())

  private var shown: [String?] {
    test.session.children(on: "pages").indices.map { index in
      let path = "pages[\(index)]"
      guard let type = test.session.tree.typeName(at: .path(path)) else { return nil }
      return "\(type) \(test.session.viewState(at: path)?.text ?? "")"
    }
  }

  @Test func router_beginsWithTheProfile() {
    #expect(shown == [#"Profile {"title":"Profile"}"#])
    test.expectView(.init(canDismiss: false))
  }

  @Test func showSettings_pushesTheSettings() {
    test.send(.showSettings) { $0.pages.push(.settings) }
    #expect(shown == [#"Profile {"title":"Profile"}"#, #"Settings {"title":"Settings"}"#])
    test.expectView(.init(canDismiss: true))
  }

  @Test func showDetails_pushesTheDetailsOfThatUser() {
    test.send(.showDetails(userId: "123")) { $0.pages.push(.userDetails(userId: "123")) }
    #expect(shown == [#"Profile {"title":"Profile"}"#, #"UserDetails {"userId":"123"}"#])
  }

  @Test func allPages_areOnOneStack() {
    test.send(.showDetails(userId: "1")) { $0.pages.push(.userDetails(userId: "1")) }
    test.send(.showSettings) { $0.pages.push(.settings) }
    test.send(.showDetails(userId: "1")) { $0.pages.push(.userDetails(userId: "1")) }
    #expect(Set(test.session.children(on: "pages")).count == 4)
    #expect(shown[1] == shown[3])
    test.send(.dismiss) { $0.pages.pop() }
    #expect(shown.last == #"Settings {"title":"Settings"}"#)
  }

  @Test func dismiss_takesThePageInFrontAway_butNotTheProfile() {
    test.send(.showSettings) { $0.pages.push(.settings) }
    test.send(.dismiss) { $0.pages.pop() }
    test.expectView(.init(canDismiss: false))
    test.send(.dismiss)
    #expect(shown == [#"Profile {"title":"Profile"}"#])
  }

  @Test func events_areDecoded_andSessionIsSaved() throws {
    let session = try TestSession(ProfileNavigationRouter())
    try session.act(#""showSettings""#)
    try session.act(#"{"showDetails":{"userId":"123"}}"#)
    let restored = try session.restored(as: ProfileNavigationRouter())
    #expect(restored.viewState(at: "pages[2]")?.text == #"{"userId":"123"}"#)
    try restored.act(#""dismiss""#)
    try restored.act(#""dismiss""#)
    #expect(restored.viewState()?.text == #"{"canDismiss":false}"#)
  }
}
