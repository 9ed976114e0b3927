import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

/// The container with pages of the test's own: it knows nothing of the app's.
struct NavigationContainerTests {
  private enum Letter: String, Codable { case a, b, c }

  /// A page that asks for whatever it is told to.
  private struct Page: Riblet {
    static let typeName = "Page"
    enum ViewAction: Codable { case push, pop, popToRoot, setPages }
    typealias Output = NavigationCommand<Letter>
    let letter: Letter

    func makeState() -> String { letter.rawValue }

    func reduce(into state: inout String, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .push: .output(.push(.b))
      case .pop: .output(.pop)
      case .popToRoot: .output(.popToRoot)
      case .setPages: .output(.setPages(.c, [.a, .b]))
      }
    }

    func view(_ state: String) -> String { state }
  }

  private struct Pages: Builder {
    func build(_ letter: Letter) -> any Riblet<NavigationCommand<Letter>> { Page(letter: letter) }
  }

  private let test = TestRiblet(NavigationContainer<Letter>(root: .a, builder: Pages()))

  /// Pushes pages on top of the lowest.
  private func push(_ count: Int) {
    for index in 0..<count {
      test.send(.push, to: Page.self, at: "pages[\(index)]")
      test.receive(.push(.b)) { $0.pages.push(.b) }
    }
  }

  private var shown: [String?] {
    test.session.children(on: "pages").indices.map { test.session.viewState(at: "pages[\($0)]")?.text }
  }

  @Test func container_beginsWithItsRoot() {
    #expect(shown == [#""a""#])
    test.expectView(.init(canGoBack: false))
  }

  @Test func push_putsAPageInFront() {
    push(1)
    #expect(shown == [#""a""#, #""b""#])
    test.expectView(.init(canGoBack: true))
  }

  @Test func pop_takesThePageInFrontAway() {
    push(2)
    let ids = test.session.children(on: "pages")
    test.send(.pop, to: Page.self, at: "pages[2]")
    test.receive(.pop) { $0.pages.pop() }
    #expect(test.session.children(on: "pages") == Array(ids.prefix(2)))
  }

  @Test func pop_ofTheRoot_doesNothing() {
    test.send(.pop, to: Page.self, at: "pages")
    test.receive(.pop)
    #expect(shown == [#""a""#])
  }

  @Test func popToRoot_leavesTheRoot() {
    let root = test.session.children(on: "pages")
    push(3)
    test.send(.popToRoot, to: Page.self, at: "pages[3]")
    test.receive(.popToRoot) { $0.pages.popToRoot() }
    #expect(test.session.children(on: "pages") == root)
    test.expectView(.init(canGoBack: false))
  }

  @Test func setPages_replacesAll() {
    push(1)
    let ids = test.session.children(on: "pages")
    test.send(.setPages, to: Page.self, at: "pages[1]")
    test.receive(.setPages(.c, [.a, .b])) { state in
      state.pages.replaceAll(with: .c)
      state.pages.push(.a)
      state.pages.push(.b)
    }
    #expect(shown == [#""c""#, #""a""#, #""b""#])
    #expect(Set(test.session.children(on: "pages")).isDisjoint(with: ids))
  }

  @Test func backTapped_takesThePageInFrontAway() {
    push(2)
    test.send(.backTapped) { $0.pages.pop() }
    #expect(shown == [#""a""#, #""b""#])
    test.send(.backTapped) { $0.pages.pop() }
    test.send(.backTapped)
    #expect(shown == [#""a""#])
  }

  @Test func back_takesThePageInFrontAway() {
    push(1)
    test.back { $0.pages.pop() }
    test.back()
  }
}
