import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct SearchTests {
  private let clock = ManualClock()

  private func search() -> TestRiblet<Search> { TestRiblet(Search(service: .showcase(clock: clock)), clock: clock) }

  @Test func load_findsEverything() {
    let test = search()
    test.send(.load) { $0.results = .loading }
    clock.advance(by: .milliseconds(999))
    test.expectView(.init(text: "", results: .loading, alert: nil))
    clock.advance(by: .milliseconds(1))
    test.receive(.found(Self.allItems)) { $0.results = .loaded(Self.allItems) }
  }

  @Test func submit_findsByAPartOfTheName() {
    let test = search()
    test.send(.updateSearchText("ap")) { $0.text = "ap" }
    test.send(.submitSearch) { $0.results = .loading }
    clock.advance(by: .seconds(1))
    let found = ["Apple", "Apricot", "Grape", "Grapefruit", "Papaya", "Pineapple"]
    test.receive(.found(found)) { $0.results = .loaded(found) }
  }

  @Test func newSearch_cancelsTheOldOne_andItsError() {
    let test = search()
    test.send(.updateSearchText("fail")) { $0.text = "fail" }
    test.send(.submitSearch) { $0.results = .loading }
    clock.advance(by: .milliseconds(900))
    test.send(.updateSearchText("fig")) { $0.text = "fig" }
    test.send(.submitSearch)
    // The first one would have failed by now.
    clock.advance(by: .milliseconds(900))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(100))
    test.receive(.found(["Fig"])) { $0.results = .loaded(["Fig"]) }
  }

  @Test func textTypedDuringARequest_survives() {
    let test = search()
    test.send(.updateSearchText("kiwi")) { $0.text = "kiwi" }
    test.send(.submitSearch) { $0.results = .loading }
    test.send(.updateSearchText("kiwi and")) { $0.text = "kiwi and" }
    clock.advance(by: .seconds(1))
    test.receive(.found(["Kiwi"])) { $0.results = .loaded(["Kiwi"]) }
    #expect(test.state.text == "kiwi and")
  }

  @Test func failure_isShown_andCanBeRetried() {
    let test = search()
    test.send(.updateSearchText("fail")) { $0.text = "fail" }
    test.send(.submitSearch) { $0.results = .loading }
    clock.advance(by: .seconds(1))
    test.receive(.failed("The catalogue does not answer. Try again.")) {
      $0.results = .failed("The catalogue does not answer. Try again.")
    }
    test.send(.updateSearchText("fig")) { $0.text = "fig" }
    test.send(.submitSearch) { $0.results = .loading }
    clock.advance(by: .seconds(1))
    test.receive(.found(["Fig"])) { $0.results = .loaded(["Fig"]) }
  }

  @Test func clear_cancelsTheRequest() {
    let test = search()
    test.send(.updateSearchText("fig")) { $0.text = "fig" }
    test.send(.submitSearch) { $0.results = .loading }
    test.send(.clearSearch) { state in
      state.text = ""
      state.results = .idle
    }
    clock.advance(by: .seconds(2))
  }

  @Test func alertText_existsInTheViewOnly() throws {
    let session = try TestSession(Search(service: .showcase(clock: clock)))
    try session.act(#"{"updateSearchText":"fig"}"#)
    try session.act(#"{"toggleAlert":true}"#)
    #expect(session.viewState()?["alert"]?["message"] == .string("You have searched for “fig”."))
    let saved = try #require(try session.tree.snapshot().nodes[1]?.state)
    #expect(!saved.contains("You have searched") && saved.contains(#""isAlertOpen":true"#))
    try session.act(#"{"toggleAlert":false}"#)
    #expect(session.viewState()?["alert"] == nil)
  }

  @Test func detail_opensAndCloses() {
    let test = search()
    test.send(.open("Fig")) { $0.detail.attach("Fig") }
    #expect(test.session.viewState(at: "detail") == .object(["item": .string("Fig")]))
    test.send(.closeTapped, to: SearchDetail.self, at: "detail")
    test.receive(.detail(.closed)) { $0.detail.detach() }
  }

  @Test func session_isRestoredWithItsDetailOpen() throws {
    let session = try TestSession(Search(service: .showcase(clock: clock)))
    try session.act(#"{"open":"Fig"}"#)
    let restored = try session.restored(as: Search(service: .showcase(clock: clock)))
    #expect(restored.viewState(at: "detail") == .object(["item": .string("Fig")]))
  }

  @Test func requestThatWasCutOff_isMadeAgain() throws {
    let session = try TestSession(Search(service: .showcase(clock: clock)), effects: .running)
    try session.act(#"{"updateSearchText":"fig"}"#)
    try session.act("\"submitSearch\"")
    let restored = try session.restored(as: Search(service: .showcase(clock: clock)), effects: .running)
    clock.advance(by: .seconds(1))
    #expect(restored.viewState()?["results"]?["loaded"] != nil)
  }

  private static let allItems = [
    "Apple", "Apricot", "Avocado", "Banana", "Blackberry", "Blueberry", "Cherry", "Cranberry", "Date", "Elderberry",
    "Fig", "Grape", "Grapefruit", "Kiwi", "Lemon", "Lime", "Mango", "Melon", "Nectarine", "Orange", "Papaya", "Peach",
    "Pear", "Pineapple", "Plum", "Pomegranate", "Quince", "Raspberry", "Strawberry", "Watermelon",
  ]
}
