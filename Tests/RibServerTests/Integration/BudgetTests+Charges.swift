import CurlTransport
import RibCore
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibServer
@testable import Showcase

/// What a client's actions cost others is charged to it: time of the loops, what observers are told, and what is written.
extension BudgetTests {
  /// Keeps its loop busy.
  private struct Digger: Riblet {
    static let typeName = "Digger"
    enum ViewAction: Decodable { case dig }
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      let end = ContinuousClock.now + .milliseconds(60)
      while ContinuousClock.now < end { state &+= 1 }
      return .none
    }
    func view(_ state: Int) -> Int { 0 }
  }

  /// A request whose actions take long gives way to others, and is held to its client's part of the loop.
  @Test func loopTime_isCharged() async throws {
    try await withServer(
      apps: [App("digger") { Digger() }, App("counter") { Counter() }],
      {
        $0.loops = 1
        $0.limits.actionsPerSecond = 1_000_000
        $0.limits.actionBurst = 1_000_000
      }
    ) { _, url in
      let (slow, other) = try await blocking {
        let (slow, other) = (try TwinClient(url), try TwinClient(url))
        _ = try (slow.create(#"{"app":"digger"}"#), other.create())
        return (slow, other)
      }
      let isDone = Atomic(false)
      async let work = blocking { () throws -> (TwinClient.Answer, Duration) in
        defer { isDone.store(true, ordering: .relaxed) }
        let start = ContinuousClock.now
        return (try Self.act(slow, from: 1, 8, "dig"), ContinuousClock.now - start)
      }
      let count = try await blocking { () throws -> Int in
        var count = 0
        while !isDone.load(ordering: .relaxed) {
          count += 1
          #expect(try Self.act(other, from: count, 1).status == 200)
        }
        return count
      }
      let (answer, time) = try await work
      #expect(answer.status == 200 && answer.body.contains(#""n":8,"#))
      // Of half a second of the loop's 100 ms are at once, and a tenth of each second after it.
      #expect(time > .seconds(2) && count > 20)
    }
  }

  /// Tells all that listen: at once, by an effect, or by an effect that no client has asked for.
  private struct Shouter: Riblet {
    static let typeName = "Shouter"
    enum ViewAction: Decodable { case shout, update, shoutLater, updateLater, nothing }
    enum InternalAction: Sendable { case done }
    let topic: Topic<Int>
    let shared: SharedValue<Int>
    let beginsWithAShout: Bool
    func makeState() -> Int { 0 }
    func didBecomeActive(_ state: inout Int) -> Effect<Self> { beginsWithAShout ? shoutLater : .none }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .nothing: .none
      case .shout: .publish(1, to: topic)
      case .update: .update(shared) { $0 += 1 }
      case .shoutLater: shoutLater
      case .updateLater:
        .run { [shared] send in
          send.update(shared) { $0 += 1 }
          await send(.done)
        }
      }
    }
    func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> {
      state += 1
      return .none
    }
    func view(_ state: Int) -> Int { state }
    private var shoutLater: Effect<Self> {
      .run { [topic] send in
        send.publish(1, to: topic)
        await send(.done)
      }
    }
  }

  /// What it costs the loops of those who listen is charged to the client that has acted, and not to another one of the session; what nobody
  /// has asked for is charged to nobody.
  @Test(arguments: ["shout", "update", "shoutLater", "updateLater", "nothing"])
  func whatOthersAreTold_isCharged(_ action: String) async throws {
    let (topic, shared) = (Topic<Int>(), SharedValue(0))
    let listeners = (0..<50_000).map { _ in (topic.subscribe(), shared.subscribe()) }
    let isFree = action == "nothing"
    let app = App("shouter") { Shouter(topic: topic, shared: shared, beginsWithAShout: isFree) }
    try await withServer(apps: [app], Self.isSlow) { _, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "shouter")
        let awaitEffect = { while try !host.next().contains(#""value":1"#) {} }
        if isFree { try awaitEffect() }
        let (shouter, other) = (try TwinClient(url), try TwinClient(url))
        for client in [shouter, other] {
          #expect(try client.create(#"{"share":"\#(try host.share("act"))"}"#).status == 201)
        }
        let elsewhere = "X-Forwarded-For: 203.0.113.8"
        // The listeners take five seconds of the loops: as much as a client may use in fifty.
        #expect(try Self.act(shouter, from: 1, 1, action, Self.forwarded).status == 200)
        #expect(try Self.act(other, from: 1, 1, "nothing", elsewhere).status == 200)
        if action.hasSuffix("Later") { try awaitEffect() }
        #expect(try Self.act(other, from: 2, 1, "nothing", elsewhere).status == 200)
        #expect(try Self.act(shouter, from: 2, 1, "nothing", Self.forwarded).status == (isFree ? 200 : 429))
      }
    }
    withExtendedLifetime(listeners) {}
  }

  /// Writes much for a short action.
  private struct Hoarder: Riblet {
    static let typeName = "Hoarder"
    enum ViewAction: Decodable { case hoard, hoardLater }
    enum InternalAction: Sendable { case hoard }
    func makeState() -> String { "" }
    func reduce(into state: inout String, viewAction: ViewAction) -> Effect<Self> {
      if case .hoardLater = viewAction { return .run { await $0(.hoard) } }
      hoard(&state)
      return .none
    }
    func reduce(into state: inout String, internalAction: InternalAction) -> Effect<Self> {
      hoard(&state)
      return .none
    }
    private func hoard(_ state: inout String) {
      state = String(repeating: state.hasPrefix("a") ? "b" : "a", count: 1 << 20)
    }
    func view(_ state: String) -> Int { 0 }
  }

  @Test(arguments: ["hoard", "hoardLater"]) func whatIsWritten_isCharged(_ action: String) async throws {
    let directory = try TemporaryDirectory()
    try await withServer(
      apps: [App("hoarder") { Hoarder() }],
      {
        Self.isSlow(&$0)
        $0.store = .sqlite
        $0.stateDirectory = directory.path
      }
    ) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create(#"{"app":"hoarder"}"#)
        // 64 messages each, of 200.
        let statuses = try (1...9).map { try Self.act(client, from: $0, 1, action, Self.forwarded).status }
        #expect(statuses.first == 200 && statuses.contains(429), "\(statuses)")
      }
    }
  }
}
