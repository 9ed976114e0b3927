import CurlTransport
import RibClient
import RibServer
import Synchronization
import Testing
import Wire

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

    /// How long each of many actions took, sorted.
    func waits() throws -> [Duration] {
      var waits: [Duration] = []
      for _ in 0..<50 {
        actions += 1
        for client in clients {
          waits.append(
            try ContinuousClock().measure {
              try client.act(.string("increment"), to: .id(1))
              try client.settle()
            })
        }
      }
      return waits.sorted()
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
    let head = Array("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: \(String(repeating: "z", count: 10_000))".utf8)
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

  @Test func goodSessions_areServedAsQuickly() async throws {
    let daemon = try Daemon(["--limits-actions-per-second", "1000"])
    let url = daemon.url
    let good = try await blocking { try Good(url) }
    let quiet = try await blocking { try good.waits() }
    let attack = Attack()
    async let attacked: Void = blocking { try Self.run(attack, url) }
    try await blocking {
      defer { attack.isOver.store(true, ordering: .relaxed) }
      while !attack.hasBegun.load(ordering: .relaxed) { _ = try good.waits() }
      let loud = try good.waits()
      // On a busy machine even the quiet ones wait now and then, and everyone does if each access is looked at.
      let limit = max(quiet[quiet.count * 99 / 100] * 3, .milliseconds(Sanitizer.current == nil ? 50 : 500))
      #expect(loud[loud.count * 99 / 100] <= limit)
      good.check()
    }
    try await attacked
    #expect(daemon.stop() == 0)
  }
}
