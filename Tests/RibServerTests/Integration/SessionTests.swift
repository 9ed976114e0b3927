import CurlTransport
import RibClient
import RibCore
import RibServer
import Testing
import Wire

/// What sessions do by themselves: walk where a link leads, and hear of one another.
@Suite(.timeLimit(.minutes(5))) struct SessionTests {
  private struct Link: Decodable, Sendable {
    var open: String?
  }

  /// A shelf from which one book can be open.
  private struct Shelf: Riblet {
    static let typeName = "Shelf"
    struct State { var book = Slot<String>() }
    enum InternalAction: Sendable { case opened(String) }

    func makeState() -> State { State() }

    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      if case .opened(let title) = internalAction { state.book.replace(with: title) }
      return .none
    }

    func view(_ state: State) -> Bool { state.book.config != nil }
    var routes: [Route<Self>] { [Route("book", \.book) { title in Child(Book(title: title)) }] }
  }

  private struct Book: Riblet {
    static let typeName = "Book"
    enum ViewAction: Decodable { case turn }
    struct ViewState: Encodable, Equatable {
      let title: String
      let page: Int
    }

    let title: String

    func makeState() -> Int { 1 }

    func reduce(into page: inout Int, viewAction: ViewAction) -> Effect<Self> {
      page += 1
      return .none
    }

    func view(_ page: Int) -> ViewState { ViewState(title: title, page: page) }
  }

  private static let library = App("library", parameters: Link.self) { _ in
    Shelf()
  } walk: { link, shelf in
    guard let title = link.open else { return }
    try await shelf.send(.opened(title))
    let book = try await shelf.child(Book.self)
    try await book.update { page in
      page = 7
      return .none
    }
  }

  @Test func link_isFollowed_inPatches() async throws {
    try await withServer(apps: [Self.library]) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "library", parameters: .object(["open": .string("Emma")]))
        var page: JSONValue?
        while page != .integer(7) {
          _ = try client.receive()
          page = client.session.view?["nodes"]?["2"]?["state"]?["page"]
        }
        #expect(client.session.view?["nodes"]?["2"]?["state"]?["title"] == .string("Emma"))
        #expect(client.session.revision == 3)
        try client.act(.string("turn"), to: .path("book"))
        try client.settle()
        #expect(client.session.view?["nodes"]?["2"]?["state"]?["page"] == .integer(8))
      }
    }
  }

  @Test func sessionWithoutALink_staysWhereItIs() async throws {
    try await withServer(apps: [Self.library]) { _, url in
      let answer = try await blocking { try Self.turnWithoutABook(url) }
      #expect(answer == "gone at revision 1")
    }
  }

  private static func turnWithoutABook(_ url: String) throws -> String {
    let client = try CurlClient(url: url, app: "library")
    try client.act(.string("turn"), to: .path("book"))
    for case .refused(_, let nack) in try client.settle() {
      return "\(nack.code.rawValue) at revision \(client.session.revision)"
    }
    return "done"
  }

  /// Hears what is said in any session.
  private struct Ear: Riblet {
    static let typeName = "Ear"
    enum ViewAction: Decodable { case say(String) }
    enum InternalAction: Sendable { case heard(String) }
    let topic: Topic<String>

    func makeState() -> [String] { [] }

    func didBecomeActive(_ heard: inout [String]) -> Effect<Self> {
      .observe({ [topic] in topic.subscribe() }, id: "topic") { .heard($0) }
    }

    func reduce(into heard: inout [String], viewAction: ViewAction) -> Effect<Self> {
      guard case .say(let word) = viewAction else { return .none }
      return .publish(word, to: topic)
    }

    func reduce(into heard: inout [String], internalAction: InternalAction) -> Effect<Self> {
      if case .heard(let word) = internalAction { heard.append(word) }
      return .none
    }

    func view(_ heard: [String]) -> [String] { heard }
  }

  @Test func publication_reachesTheOtherSession() async throws {
    let topic = Topic<String>()
    try await withServer(apps: [App("ear") { Ear(topic: topic) }]) { server, url in
      try await blocking {
        let (speaker, listener) = (try CurlClient(url: url, app: "ear"), try CurlClient(url: url, app: "ear"))
        // Effects start on threads of their own; nobody is told when.
        try waitUntil { topic.subscriberCount == 2 }
        try speaker.act(.object(["say": .string("hello")]), to: .id(1))
        try speaker.settle()
        try listener.wait { $0.session.view?["nodes"]?["1"]?["state"] == .array([.string("hello")]) }
        try speaker.end()
        try listener.end()
      }
      #expect(await eventually { server.sessionCount == 0 && topic.subscriberCount == 0 })
    }
  }

  @Test func clientWhoJoins_seesWhatTheOtherDoes_atOnce() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try CurlClient(url: url, app: "counter")
        let second = try CurlClient(url: url, joining: first.shareToken())
        try first.perform(#""increment""#)
        // It has said nothing that would be answered.
        try second.wait { try $0.state()["count"]?.text == "1" }
        try second.perform(#""increment""#)
        try first.wait { try $0.state()["count"]?.text == "2" }
      }
    }
  }
}
