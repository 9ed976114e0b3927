import CurlTransport
import RibCore
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer
@testable import Showcase

/// All that the loop does for a client is charged to the client and to its place, whatever the client asks for.
extension BudgetTests {
  /// Takes long to be shown.
  private struct Painter: Riblet {
    static let typeName = "Painter"
    enum ViewAction: Decodable { case paint }
    struct ViewState: Encodable, Equatable {
      let count: Int, milliseconds: Int
      func encode(to encoder: any Encoder) throws {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        var turns = 0
        while ContinuousClock.now < end { turns &+= 1 }
        try count.encode(to: encoder)
      }
    }
    var milliseconds = 40
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      state += 1
      return .none
    }
    func view(_ state: Int) -> ViewState { ViewState(count: state, milliseconds: milliseconds) }
  }

  /// A riblet whose start takes 200 ms.
  private struct Starter: Riblet {
    static let typeName = "Starter"
    enum ViewAction: Decodable { case look }
    func makeState() -> Int {
      let end = ContinuousClock.now + .milliseconds(200)
      var turns = 0
      while ContinuousClock.now < end { turns &+= 1 }
      return 0
    }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
    func view(_ state: Int) -> Int { state }
  }

  /// The client pays for the loop time that its session's start takes.
  @Test func hello_isChargedByItsTime() async throws {
    try await withServer(apps: [App("starter") { Starter() }], Self.hasOneLoop) { _, url in
      try await blocking { () throws in
        let start = ContinuousClock.now
        let client = try PlainClient(url, app: "starter")
        try client.send(#"{"t":"ping"}"#)
        _ = try client.next()
        // Of 200 ms 100 are at once, and a tenth of each second after it.
        #expect(ContinuousClock.now - start > .milliseconds(900))
      }
    }
  }

  private static let apps = [
    App("painter") { Painter() }, App("slow-painter") { Painter(milliseconds: 250) }, App("counter") { Counter() },
  ]

  /// One loop for all, and no limit but that of its time.
  static func hasOneLoop(_ settings: inout ServerSettings) {
    settings.loops = 1
    settings.limits.actionsPerSecond = 1_000_000
    settings.limits.actionBurst = 1_000_000
    settings.limits.newSessionsPerMinute = 10_000
  }

  /// An environment in which all clients are of one place.
  static var onePlace: Environment {
    var environment = Environment.system
    environment.sockets.caller = { _ in Caller(address: IPAddress(text: "203.0.113.7")) }
    return environment
  }

  /// What a client may ask for as often as it likes.
  @Test(arguments: [#"{"t":"check"}"#, #"{"t":"ping"}"#]) func messages_areChargedByTheirTime(_ message: String)
    async throws
  {
    try await withServer(apps: Self.apps, Self.hasOneLoop) { _, url in
      try await blocking { () throws in
        let client = try PlainClient(url, app: "painter")
        let start = ContinuousClock.now
        try client.send("[\(Array(repeating: message, count: 8).joined(separator: ","))]")
        for _ in 0..<8 { _ = try client.next() }
        // To be shown and checked takes 360 ms of the loop, of which 100 are at once, and a tenth of each second after it.
        let isFree = message.contains("ping")
        #expect((ContinuousClock.now - start > .seconds(2)) != isFree)
      }
    }
  }

  /// Whoever joins and leaves again and again has a new budget each time, and the same place.
  @Test func placeOfGuestsThatComeAndGo_waits() async throws {
    try await withServer(apps: Self.apps, environment: Self.onePlace, Self.hasOneLoop) { server, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "slow-painter")
        // The host is of the same place, and would wait with it.
        let shares = try (0..<12).map { _ in try host.share("act") }
        var statuses: [Int] = []
        var ends: [Int] = []
        for share in shares where statuses.last ?? 201 == 201 {
          let guest = try TwinClient(url)
          statuses.append(try guest.create(#"{"share":"\#(share)"}"#).status)
          // Its own connection may wait.
          if statuses.last == 201 { ends.append(try TwinClient(url, like: guest).end().status) }
        }
        #expect(statuses.last == 429 && statuses.count > 2, "\(statuses)")
        // On a machine that has no time a guest may cost its place two seconds, from which ends wait, too.
        #expect(ends.allSatisfy { [204, 429].contains($0) } && ends.contains(204), "\(ends)")
        // A `hello` waits while its place owes more than two seconds.
        let start = ContinuousClock.now
        Self.setDebt(of: try #require(Caller(address: IPAddress(text: "203.0.113.7")).place), to: 2_900_000_000, server)
        let late = try PlainClient(url, saying: #"{"t":"hello","app":"counter"}"#)
        try late.greet()
        #expect(late.greeting.hasPrefix(#"{"t":"welcome""#) && ContinuousClock.now - start > .milliseconds(300))
      }
    }
  }

  /// Those that are in their session need not wait until all are in that come at once.
  @Test func manyThatComeAtOnce_letOthersHaveTheirTurn() async throws {
    try await withServer(apps: Self.apps, Self.hasOneLoop) { _, url in
      let longest = try await blocking { () throws -> Duration in
        let client = try PlainClient(url, app: "counter")
        let strangers = try (0..<40).map { _ in try CurlWebSocket(url: url) }
        for stranger in strangers { try stranger.send(#"{"t":"hello","app":"painter"}"#) }
        var longest = Duration.zero
        for _ in 0..<10 {
          let start = ContinuousClock.now
          try client.send(#"{"t":"ping"}"#)
          _ = try client.next()
          longest = max(longest, ContinuousClock.now - start)
        }
        for stranger in strangers { #expect(try stranger.text()?.hasPrefix(#"{"t":"welcome""#) == true) }
        return longest
      }
      // All of them take more than 1.6 s.
      #expect(longest < .milliseconds(800))
    }
  }

  /// Keeps what others publish.
  private struct Keeper: Riblet {
    static let typeName = "Keeper"
    enum ViewAction: Decodable { case look }
    enum InternalAction: Sendable { case heard(Int) }
    struct State: Codable, Equatable {
      var count = 0
      var text = ""
    }
    let topic: Topic<Int>
    func makeState() -> State { State() }
    func didBecomeActive(_ state: inout State) -> Effect<Self> { .observe(topic, id: "topic") { .heard($0) } }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> { .none }
    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      if case .heard(let number) = internalAction {
        state = State(count: number, text: String(repeating: "\(number % 10)", count: 1 << 20))
      }
      return .none
    }
    func view(_ state: State) -> Int { state.count }
  }

  /// What is written because others have published is not charged to the client that has acted before.
  @Test func whatOthersPublish_isNotCharged() async throws {
    let directory = try TemporaryDirectory()
    let topic = Topic<Int>()
    try await withServer(
      apps: [App("keeper") { Keeper(topic: topic) }],
      {
        Self.isSlow(&$0)
        $0.store = .sqlite
        $0.stateDirectory = directory.path
      }
    ) { _, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "keeper")
        let client = try TwinClient(url)
        _ = try client.create(#"{"share":"\#(try host.share("act"))"}"#)
        #expect(try Self.act(client, from: 1, 1, "look", Self.forwarded).status == 200)
        for number in 1...8 {
          topic.publish(number)
          while try !host.next().contains(#""value":\#(number)}"#) {}
        }
        #expect(try Self.act(client, from: 2, 1, "look", Self.forwarded).status == 200)
      }
    }
  }
}
