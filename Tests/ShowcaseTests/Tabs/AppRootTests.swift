import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct AppRootTests {
  private let pathsAndTypes = [
    ("tabs[0]", "NavigationContainer"), ("tabs[0]/pages", "AppHome"),
    ("tabs[1]", "NavigationContainer"), ("tabs[1]/pages", "FinanceHome"),
    ("tabs[2]", "ProfileHome"),
  ]

  private func selected(in session: TestSession) -> JSONValue? {
    session.view["nodes"]?["1"]?["children"]?["tabs"]?["selected"]
  }

  @Test func allTabs_areAttachedAndActiveFromTheStart() {
    let test = TestRiblet(AppRoot())
    #expect(test.session.tree.nodeCount == 6)
    for (path, type) in pathsAndTypes {
      #expect(test.session.tree.typeName(at: .path(path)) == type)
      #expect(test.session.tree.isActive(at: .path(path)) == true)
    }
    #expect(selected(in: test.session) == .integer(0))
    test.expectView(.init(titles: ["appHome", "financeHome", "profileHome"]))
    #expect(test.session.viewState(at: "tabs[0]/pages")?.text == #"{"title":"Home"}"#)
    #expect(test.session.viewState(at: "tabs[1]/pages")?.text == #"{"title":"Finance"}"#)
    #expect(test.session.viewState(at: "tabs[2]")?.text == #"{"title":"Profile"}"#)
  }

  @Test func select_bringsATabToTheFront_andLeavesAllActive() {
    let test = TestRiblet(AppRoot())
    let children = test.session.children(on: "tabs")
    for index in [2, 1, 0] {
      test.send(.select(index)) { $0.tabs.select(at: index) }
      #expect(selected(in: test.session) == .integer(Int64(index)))
      #expect(test.session.children(on: "tabs") == children)
      for (path, _) in pathsAndTypes { #expect(test.session.tree.isActive(at: .path(path)) == true) }
    }
  }

  @Test func select_ofNoTab_changesNothing() {
    let test = TestRiblet(AppRoot())
    for index in [-1, 3, .max, .min] { test.send(.select(index)) }
  }

  @Test func transportHomeTapped_pushesOnTheHomeTabOnly() throws {
    let session = try TestSession(AppRoot())
    try session.act(#""transportHomeTapped""#, to: .path("tabs[0]/pages"))
    #expect(session.children(on: "pages", at: "tabs[0]").count == 2)
    #expect(session.viewState(at: "tabs[0]/pages[1]")?.text == #"{"title":"Transport"}"#)
    #expect(session.children(on: "pages", at: "tabs[1]").count == 1)
    try session.act(#""closeTapped""#, to: .path("tabs[0]/pages[1]"))
    #expect(session.children(on: "pages", at: "tabs[0]").count == 1)
  }

  @Test func tabBehind_goesOn() throws {
    let session = try TestSession(AppRoot())
    try session.act(#"{"select":2}"#)
    try session.act(#""transportHomeTapped""#, to: .path("tabs[0]/pages"))
    #expect(session.children(on: "pages", at: "tabs[0]").count == 2)
    // Back is for the tab in front, which has nothing to leave.
    #expect(try !session.back())
    try session.act(#"{"select":0}"#)
    #expect(try session.back())
    #expect(session.children(on: "pages", at: "tabs[0]").count == 1)
  }

  @Test func session_isSaved() throws {
    let session = try TestSession(AppRoot())
    try session.act(#""transportHomeTapped""#, to: .path("tabs[0]/pages"))
    try session.act(#"{"select":1}"#)
    let restored = try session.restored(as: AppRoot())
    #expect(selected(in: restored) == .integer(1))
    #expect(restored.tree.typeName(at: .path("tabs[0]/pages[1]")) == "TransportHome")
  }
}
