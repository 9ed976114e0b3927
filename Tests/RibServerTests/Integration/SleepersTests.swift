import RibCore
import RibTestSupport
import Synchronization
import Testing

@testable import RibServer
@testable import Showcase

/// Thousands of sessions at rest that are told of one thing.
@Suite(.serialized) struct SleepersTests {
  /// Sessions that act while others are woken.
  ///
  /// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
  private final class Good: @unchecked Sendable {
    private let clients: [PlainClient]
    private var actions = 0

    init(_ url: String) throws { clients = try (0..<10).map { _ in try PlainClient(url, app: "counter") } }

    /// How long actions take, one after the other, as long as that is asked for.
    func waits(while isAsked: (_ rounds: Int) -> Bool) throws -> [Duration] {
      var (waits, rounds): ([Duration], Int) = ([], 0)
      while isAsked(rounds) {
        rounds += 1
        actions += 1
        for client in clients {
          waits.append(
            try ContinuousClock().measure {
              try client.act(actions, #""increment""#)
              _ = try client.next(#"{"t":"patch""#)
            })
        }
      }
      return waits
    }
  }

  /// What an action may take at least, in a debug build on a machine that has other things to do.
  private static let floor = Duration.milliseconds(100)

  private static func percentile99(_ waits: [Duration]) -> Duration { waits.sorted()[waits.count * 99 / 100] }

  @Test(.enabled(if: Sanitizer.current == nil, "waking so many takes too long there"), .timeLimit(.minutes(5)))
  func oneWord_wakesTenThousand() async throws {
    // Both ends of each connection are in this process.
    let count = min(10_000, (Server.raiseDescriptorLimit() - 1000) / 2)
    try #require(count >= 1000, "the test needs more descriptors: ulimit -n")
    let (directory, news) = (try TemporaryDirectory(), SharedValue(0))
    try await withServer(
      apps: [App("sleeper") { NewsReader(news: news) }, App("counter") { Counter() }],
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
        $0.sessions.idleRestSeconds = 1
      }
    ) { server, url in
      let crowd = try await blocking { try Crowd(count, port: Int(url.split(separator: ":")[2]) ?? 0, app: "sleeper") }
      #expect(await eventually { server.sessionCount == 0 })
      let good = try await blocking { try Good(url) }
      let usual = try await blocking { try good.waits { $0 < 100 } }
      let isOver = Atomic(false)
      news.update { $0 = 7 }
      async let told: Void = blocking {
        defer { isOver.store(true, ordering: .relaxed) }
        try crowd.hear([#""news":7"#, #"/news","value":7"#], within: 120)
      }
      let meanwhile = try await blocking { try good.waits { $0 < 10 || !isOver.load(ordering: .relaxed) } }
      try await told
      let (before, during) = (Self.percentile99(usual), Self.percentile99(meanwhile))
      print("\(count) sleepers: of 100 actions, 99 take less than \(before) before, \(during) while they are woken")
      if TestRun.judgesTime {
        #expect(during <= max(before * 3, Self.floor), "an action takes \(during), and \(before) before")
      }
    }
  }
}

/// Shows what was published last.
private struct NewsReader: Riblet {
  static let typeName = "NewsReader"
  struct State: Codable, Equatable { var news = 0 }
  struct ViewState: Codable, Equatable { let news: Int }
  enum InternalAction { case told(Int) }

  let news: SharedValue<Int>

  func makeState() -> State { State() }

  func didBecomeActive(_ state: inout State) -> Effect<Self> { .observe(news, id: "news") { .told($0) } }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    guard case .told(let news) = internalAction else { return .none }
    state.news = news
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(news: state.news) }
}
