import CurlTransport
import RibClient
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Good sessions beside peers that mean ill; `scripts/hostile` does the same with thousands of them.
@Suite(.serialized) struct HostileTests {
  /// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
  private final class Good: @unchecked Sendable {
    private let clients: [CurlClient]
    private var actions = 0

    init(_ url: String) throws { clients = try (0..<10).map { _ in try CurlClient(url: url, app: "counter") } }

    /// How long an action of each took.
    func waits() throws -> [Duration] {
      actions += 1
      return try clients.map { client in
        try ContinuousClock().measure {
          try client.act(.string("increment"), to: .id(1))
          try client.settle()
        }
      }
    }

    /// Makes sure that none has lost anything.
    func check() {
      for client in clients {
        #expect(client.session.view?["nodes"]?["1"]?["state"]?["count"] == .integer(Int64(actions)))
      }
    }
  }

  private final class Attack: Sendable {
    let hasBegun = Atomic(false)
    let isOver = Atomic(false)
  }

  /// Does all that is bad, in turn, until it is told to stop.
  private static func run(_ attack: Attack, _ url: String) throws {
    // If it cannot begin, nobody shall wait for it.
    defer { attack.hasBegun.store(true, ordering: .relaxed) }
    let head = Array(
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: \(String(repeating: "z", count: 10_000))".utf8)
    let drips = try (0..<20).map { _ in try CurlSocket(url: url) }
    let mutes = try (0..<20).map { _ in try CurlWebSocket.counter(url) }
    let writer = FrameWriter.client { 0 }
    for mute in mutes {
      var size: Int32 = 4096
      setsockopt(mute.socket.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      var acts: [UInt8] = []
      for number in 1...2000 {
        writer.text(Array(#"{"t":"act","n":\#(number),"to":1,"a":"increment"}"#.utf8).span, into: &acts)
      }
      _ = try mute.socket.sendSome(acts[...])
    }
    var garbage: [CurlSocket] = []
    var round = 0
    while !attack.isOver.load(ordering: .relaxed) {
      for drip in drips { _ = try? drip.sendSome(head[(round % head.count)...(round % head.count)]) }
      let spoiler = try CurlSocket(url: url)
      try spoiler.send([UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 300))
      garbage.append(spoiler)
      if garbage.count > 20 { garbage.removeFirst() }
      var abort = linger(l_onoff: 1, l_linger: 0)
      let aborted = try CurlSocket(url: url)
      setsockopt(aborted.descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
      round += 1
      if round == 20 { attack.hasBegun.store(true, ordering: .relaxed) }
    }
    #expect(round >= 20)
    withExtendedLifetime(mutes) {}
  }

  private static func median(_ waits: [Duration]) -> Duration { waits.sorted()[waits.count / 2] }

  /// None of their actions gets lost, and with `RIB_JUDGE_TIME=1` they take no longer than five times as long.
  ///
  /// As those of another server on the same machine, which nobody attacks, at the same time: whatever else the machine has
  /// to do concerns both.
  @Test func goodSessions_areServedAsQuickly() async throws {
    let (daemon, peaceful) = (try Daemon(Self.settings), try Daemon(Self.settings))
    let (good, control) = try await blocking { (try Good(daemon.url), try Good(peaceful.url)) }
    let attack = Attack()
    let url = daemon.url
    async let attacked: Void = blocking { try Self.run(attack, url) }
    try await blocking {
      defer { attack.isOver.store(true, ordering: .relaxed) }
      try waitUntil { attack.hasBegun.load(ordering: .relaxed) }
      var (loud, quiet): ([Duration], [Duration]) = ([], [])
      for _ in 0..<50 {
        loud += try good.waits()
        quiet += try control.waits()
      }
      let (attacked, usual) = (Self.median(loud), Self.median(quiet))
      print("Beside attackers an action takes \(attacked), at another server \(usual).")
      if TestRun.judgesTime {
        #expect(attacked <= usual * 5, "an action takes \(attacked), at the other server \(usual)")
      }
      good.check()
    }
    try await attacked
    #expect(daemon.stop() == 0 && peaceful.stop() == 0)
  }

  private static let settings = ["--limits-actions-per-second", "1000"]
}
