import CurlTransport
import RibClient
import RibCore
import RibServer
import Showcase
import Testing
import Wire

@testable import ribctl

/// The showcase's apps of the seeds, over a real WebSocket: what their clients see in the end.
@Suite struct ShowcaseNavigationTests {
  private typealias Step = (path: String, action: String)

  /// Says hello, takes the steps, and answers with what is seen after each group of them.
  private func views(of app: String, after groups: [[Step]]) async throws -> [String] {
    nonisolated(unsafe) var views: [String] = []
    try await withServer(apps: Showcase.apps) { _, url in
      views = try await blocking {
        let client = try CurlClient(url: url, app: app)
        let views = try groups.map { steps in try client.take(steps) }
        try client.end()
        return views
      }
    }
    return views
  }

  @Test func homeDetail_opensAndClosesFromBelow() async throws {
    let open: [Step] = [
      ("", #""homeTapped""#), ("home", #""plusTapped""#), ("home", #""plusTapped""#), ("home", #""minusTapped""#),
      ("home", #""detailTapped""#), ("home", #""plusTapped""#), ("home", #""detailTapped""#),
    ]
    let closeDetail: [Step] = [("home/detail", #""closeTapped""#)]
    let closeHome: [Step] = [("home", #""closeTapped""#)]
    let views = try await views(of: "home-detail", after: [[], open, closeDetail, closeHome])
    let opened = """
      Root #1
        home:
          Home #2
            count: 2
            detail:
              Detail #3
                count: 1
      """
    let closed = """
      Root #1
        home:
          Home #2
            count: 2
      """
    #expect(views == ["Root #1", opened, closed, "Root #1"])
  }

  @Test func tabs_areAllThere_andHomePushesTransport() async throws {
    let push: [Step] = [("", #"{"select":2}"#), ("tabs[0]/pages", #""transportHomeTapped""#)]
    let close: [Step] = [("tabs[0]/pages[1]", #""closeTapped""#)]
    let pushAndGoBack: [Step] = [
      ("tabs[0]/pages", #""transportHomeTapped""#), ("tabs[0]", #""backTapped""#), ("tabs[0]", #""backTapped""#),
    ]
    let views = try await views(of: "tabs", after: [[], push, close, pushAndGoBack])
    let transport = "\n        TransportHome #7\n          title: \"Transport\""
    let (atFirst, pushed) = (tabs(canGoBack: false), tabs(canGoBack: true, transport))
    #expect(views == [atFirst, pushed, atFirst, atFirst])
  }

  private func tabs(canGoBack: Bool, _ more: String = "") -> String {
    """
    AppRoot #1
      titles: ["appHome","financeHome","profileHome"]
      tabs:
        NavigationContainer #2
          canGoBack: \(canGoBack)
          pages:
            AppHome #5
              title: "Home"\(more)
        NavigationContainer #3
          canGoBack: false
          pages:
            FinanceHome #6
              title: "Finance"
        ProfileHome #4
          title: "Profile"
    """
  }

  @Test func tabs_tellWhichIsSelected() async throws {
    try await withServer(apps: Showcase.apps) { _, url in
      let selected = try await blocking {
        let client = try CurlClient(url: url, app: "tabs")
        return try [0, 2, 3, 1].map { index in
          try client.take([("", #"{"select":\#(index)}"#)])
          return client.session.view?["nodes"]?["1"]?["children"]?["tabs"]?["selected"]
        }
      }
      #expect(selected == [.integer(0), .integer(2), .integer(2), .integer(1)])
    }
  }

  @Test func profile_navigatesOnOneStack() async throws {
    let show: [Step] = [("", #""showSettings""#), ("", #"{"showDetails":{"userId":"123"}}"#)]
    let dismiss: [Step] = [("", #""dismiss""#)]
    let views = try await views(of: "profile", after: [[], show, dismiss, dismiss, dismiss])
    func text(_ canDismiss: Bool, _ more: String = "") -> String {
      """
      ProfileNavigationRouter #1
        canDismiss: \(canDismiss)
        pages:
          Profile #2
            title: "Profile"\(more)
      """
    }
    let settings = "\n    Settings #3\n      title: \"Settings\""
    let details = "\n    UserDetails #4\n      userId: \"123\""
    let expected = [text(false), text(true, settings + details), text(true, settings), text(false), text(false)]
    #expect(views == expected)
  }

  @Test func screens_comeAndGo() async throws {
    let addAndGoOn: [Step] = [
      ("screens", #""didSelectToAddSubView1""#), ("screens", #""didSelectToAddSubView2""#),
      ("screens", #""didSelectToRemoveSubView1""#), ("screens", #"{"didSetLocalCount":4}"#),
      ("screens", #""didSelectToGoToNextScreen""#), ("screens", #""didSelectToGoToNextScreen""#),
      ("screens[1]", #""didSelectSubRoute1""#), ("screens[1]", #""didSelectSubRoute2""#),
    ]
    let closeRoutes: [Step] = [("screens[1]/subRoute1", #""didClose""#), ("screens[1]/subRoute2", #""didClose""#)]
    let complete: [Step] = [("screens[1]", #""didClose""#), ("screens", #""didSelectToRemoveSubView2""#)]
    let views = try await views(of: "screens", after: [addAndGoOn, closeRoutes, complete])
    // The other test sets the global count, which is the same for all sessions of this process.
    let lines = views.map {
      $0.split(separator: "\n").filter { !$0.contains("globalCount") }.map { $0.drop { $0 == " " } }
    }
    let screen1 = ["Main #1", "screens:", "Screen1 #2", "localCount: 4"]
    let subView2 = ["subView2:", "Screen1SubView2 #4", #"title: "Screen 1, sub-view 2""#]
    let screen2 = ["Screen2 #5", #"title: "Screen 2""#]
    let routes = [
      "subRoute1:", "NavigationSubRoute1 #6", #"title: "Sub-route 1""#,
      "subRoute2:", "NavigationSubRoute2 #7", #"title: "Sub-route 2""#,
    ]
    let expected = [screen1 + subView2 + screen2 + routes, screen1 + subView2 + screen2, screen1]
    #expect(lines.map { $0.map(String.init) } == expected)
  }

  @Test func screens_shareTheGlobalCountBetweenSessions() async throws {
    try await withServer(apps: Showcase.apps) { _, url in
      let counts = try await blocking {
        let (one, other) = (try CurlClient(url: url, app: "screens"), try CurlClient(url: url, app: "screens"))
        try one.take([("screens", #"{"didSetGlobalCount":7}"#), ("screens", #"{"didSetLocalCount":1}"#)])
        for client in [one, other] { try client.waitForGlobalCount(7) }
        try other.take([("screens", #"{"didSetGlobalCount":5}"#)])
        for client in [one, other] { try client.waitForGlobalCount(5) }
        let later = try CurlClient(url: url, app: "screens")
        try later.waitForGlobalCount(5)
        return [one, other, later].map { $0.session.view?["nodes"]?["2"]?["state"]?.text }
      }
      let others = #"{"globalCount":5,"localCount":0}"#
      #expect(counts == [#"{"globalCount":5,"localCount":1}"#, others, others])
    }
  }
}

extension CurlClient {
  /// Sends actions as they are typed, waits for their answers, and answers with what is seen then.
  @discardableResult
  fileprivate func take(_ steps: [(path: String, action: String)]) throws -> String {
    for (path, action) in steps { try perform(action, at: path) }
    return ViewText.render(session.view ?? .null)
  }

  /// Takes messages until the first screen shows this count.
  fileprivate func waitForGlobalCount(_ count: Int64) throws {
    while session.view?["nodes"]?["2"]?["state"]?["globalCount"] != .integer(count) { _ = try receive() }
  }
}
