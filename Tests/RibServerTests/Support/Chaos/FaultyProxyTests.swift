import Foundation
import Testing

@testable import RibServer

/// A network that fails without an effect would show nothing.
@Suite(.blocking) struct FaultyProxyTests {
  /// A link over the network: the client's end and the server's.
  private final class Pair {
    let client: Int32
    var server: Int32 = -1
    private var storage = [UInt8](repeating: 0, count: 100)

    init(to port: Int) { client = LocalSocket.connect(to: port) }

    deinit {
      close(client)
      if server >= 0 { close(server) }
    }

    /// Says something, and waits until the server has heard it.
    func say(_ text: String, _ listener: Int32) throws {
      try waitUntil { LocalSocket.send(client, Array(text.utf8)[...]) == text.utf8.count }
      try hear(text, listener)
    }

    /// Waits until the server has heard what was said.
    func hear(_ text: String, _ listener: Int32) throws {
      if server < 0 {
        try waitUntil {
          server = LocalSocket.accept(listener) ?? -1
          return server >= 0
        }
      }
      try waitUntil { hears(text) }
    }

    func hears(_ text: String) -> Bool {
      if case .bytes(let bytes) = LocalSocket.receive(server, into: &storage) {
        Array(bytes) == Array(text.utf8)
      } else {
        false
      }
    }

    var isCut: Bool {
      switch LocalSocket.receive(client, into: &storage) {
      case .broken, .end: true
      case .bytes, .nothing: false
      }
    }
  }

  /// Whether nobody listens at a port; false as well if nobody has said so within a second.
  private static func refusesConnections(to port: Int) -> Bool {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try connectSocket(to: "127.0.0.1", port)
    } catch {
      return error.code == ECONNREFUSED
    }
    defer { close(descriptor) }
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 1000) > 0 && connectionFailure(descriptor) == ECONNREFUSED
  }

  private static func withNetwork(_ body: (FaultyProxy, _ listener: Int32, _ pair: Pair) throws -> Void) throws {
    let (listener, port) = try #require(LocalSocket.listen())
    defer { close(listener) }
    let proxy = FaultyProxy(to: [port], seed: 1, faultless: 1)
    defer { proxy.stop() }
    let pair = Pair(to: proxy.port)
    try pair.say("I am one.", listener)
    try body(proxy, listener, pair)
  }

  @Test func silence_keepsWhatIsSaid() throws {
    try Self.withNetwork { proxy, listener, pair in
      proxy.fail(NetworkOutage(for: 600_000, isTold: false, goesOn: true))
      #expect(LocalSocket.send(pair.client, Array("late".utf8)[...]) == 4)
      // Nor does a new link hear anything.
      let new = Pair(to: proxy.port)
      #expect(LocalSocket.send(new.client, Array("new".utf8)[...]) == 3)
      #expect(!pair.hears("late"))
      proxy.fail(.none)
      try waitUntil { pair.hears("late") }
      try new.hear("new", listener)
    }
  }

  @Test func silenceThatEndsInACut_isHeardThen() throws {
    try Self.withNetwork { proxy, listener, pair in
      proxy.fail(NetworkOutage(for: 600_000, isTold: false, goesOn: false))
      #expect(!pair.isCut)
      proxy.fail(.none)
      try waitUntil { pair.isCut }
      try Pair(to: proxy.port).say("new", listener)
    }
  }

  @Test func outageThatIsTold_cutsAndRefuses_untilItIsOver() throws {
    try Self.withNetwork { proxy, listener, pair in
      proxy.fail(NetworkOutage(for: 600_000, isTold: true, goesOn: true))
      try waitUntil { pair.isCut }
      let refused = Pair(to: proxy.port)
      try waitUntil { refused.isCut }
      proxy.fail(NetworkOutage(for: 1, isTold: true, goesOn: true))
      try waitUntil {
        let new = Pair(to: proxy.port)
        var accepted: Int32?
        try waitUntil {
          accepted = LocalSocket.accept(listener)
          return accepted != nil || new.isCut
        }
        if let accepted { close(accepted) }
        return accepted != nil
      }
    }
  }

  @Test func outageOfOne_concernsNoOther() throws {
    try Self.withNetwork { proxy, listener, pair in
      let other = Pair(to: proxy.port)
      try other.say("I am another.", listener)
      let outage = NetworkOutage(for: 600_000, isTold: true, goesOn: true).of("one")
      proxy.fail(outage)
      try waitUntil { pair.isCut }
      try other.say("still there", listener)
      try Pair(to: proxy.port).say("I am a third.", listener)
      let late = Pair(to: proxy.port)
      #expect(LocalSocket.send(late.client, Array("I am one.".utf8)[...]) == 9)
      try waitUntil { late.isCut }
    }
  }

  @Test func refusal_cutsAndRefuses_untilItIsOver() throws {
    try Self.withNetwork { proxy, _, pair in
      proxy.fail(.refusal(for: 600_000))
      try waitUntil { pair.isCut }
      try waitUntil { Self.refusesConnections(to: proxy.port) }
      proxy.fail(.none)
      try waitUntil { !Self.refusesConnections(to: proxy.port) }
    }
  }

  @Test func networkThatDoesNotListen_refuses_andListensAgain() throws {
    try Self.withNetwork { proxy, listener, pair in
      proxy.setListening(false)
      try waitUntil { Pair(to: proxy.port).isCut }
      // Links that are there stay.
      try pair.say("still there", listener)
      proxy.setListening(true)
      try waitUntil { !Self.refusesConnections(to: proxy.port) }
    }
  }
}
