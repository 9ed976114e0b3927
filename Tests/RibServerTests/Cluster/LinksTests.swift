import CurlTransport
import Logging
import RibCore
import Synchronization
import Testing
import WireHTTP

@testable import RibServer

/// Two nodes' links, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct LinksTests {
  /// A node as far as its links go.
  private final class End: Sendable {
    let links: Links
    let node: ClusterNode
    let port: Int
    let isSuspended = Atomic(false)
    let wanted = Mutex<[LinkMessage.Want]>([])
    let refused = Mutex<Set<Int>>([])
    let relayed = Mutex<[RelayedClient]>([])
    let drains = Mutex<[[Int]]>([])
    let lost = Mutex<[Int]>([])
    /// The names of topics; "gap" for what did not come.
    let heard = Mutex<[String]>([])

    /// All who are there.
    let roll = Mutex<[PresenceChange]>([])
    /// What others say of who is there at them.
    let news = Mutex<[Heard]>([])
    let values = Mutex<[String]>([])

    /// Whom the other node has, as far as it has said; nil before it has told all.
    var known: Set<String>? {
      var (known, isWhole): (Set<String>, Bool) = ([], false)
      for heard in news.withLock({ $0 }) {
        switch heard.news {
        case .rollBegins?: (known, isWhole) = ([], false)
        case .rollEnds?: isWhole = true
        case .change(let change)?:
          known.formUnion(change.joined.map { String(decoding: $0, as: UTF8.self) })
          known.subtract(change.left.map { String(decoding: $0, as: UTF8.self) })
        case nil, .rollWanted?: return nil
        }
      }
      return isWhole ? known : nil
    }

    func publish(_ name: String, bytes count: Int = 0) {
      let value = "\"" + String(repeating: "x", count: count) + "\""
      links.publish(NamedPublication(topic: name, value: Array(value.utf8)))
    }

    init(_ id: Int, answering answer: LinkMessage.Holding?) throws {
      let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
      port = socket.port
      let loop = try EventLoop(name: "test.links", linger: 0, usesEpoll: true, messageLimit: 1 << 20)
      let state = Weak()
      let node = Links.Node {
        state.end?.isSuspended.load(ordering: .relaxed) ?? true
      } isRefused: { node in
        state.end?.refused.withLock { _ = $0.insert(node) }
      } answer: { want, _, done in
        state.end?.wanted.withLock { $0.append(want) }
        if let answer { done(answer) }
      } accept: { client, descriptor, _ in
        state.end?.relayed.withLock { $0.append(client) }
        closeDescriptor(descriptor)
      } drain: { node, seconds in
        state.end?.drains.withLock { $0.append([node, seconds]) }
      } lose: { node in
        state.end?.lost.withLock { $0.append(node) }
      } receive: { publication in
        state.end?.heard.withLock { $0.append(publication?.topic ?? "gap") }
      } roll: {
        state.end?.roll.withLock { $0 } ?? []
      } hear: { news, node in
        state.end?.news.withLock { $0.append(Heard(node: node, news: news)) }
      } forget: { node, duration in
        state.end?.news.withLock { $0.append(Heard(node: node, duration: duration)) }
      } change: { value in
        state.end?.values.withLock { $0.append(value.name) }
      }
      links = Links(
        own: id, listeningAt: socket, on: loop, NodeAddresses(.system),
        Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, node)
      self.node = ClusterNode(id: id, program: "p", address: "127.0.0.1:\(socket.port)", secret: links.ownSecret)
      state.box.withLock { $0 = Reference(end: self) }
      try links.start()
    }

    deinit { links.stop() }

    /// What the node at the other end says.
    func ask(_ node: Int, _ session: String = "one") async -> Links.Answer {
      await withCheckedContinuation { done in
        links.ask(node, about: session, SessionClaim(tokenHash: "hash", attempt: 2)) { done.resume(returning: $0) }
      }
    }
  }

  private struct Heard: Equatable {
    let node: Int
    /// Nil if what was said before does not hold any more.
    var news: PresenceNews?
    /// For how long there was no link then.
    var duration: Duration?
  }

  private struct Reference { weak var end: End? }
  private final class Weak: Sendable {
    let box = Mutex(Reference())
    var end: End? { box.withLock { $0.end } }
  }

  /// Whichever of both has dialled.
  @Test func questions_areAnswered() async throws {
    let (one, two) = (try End(1, answering: .free), try End(2, answering: .relay))
    // Who is to be dialled does not dial.
    one.links.update([two.node])
    #expect(await one.ask(2) == .unreachable(isForLong: false))
    #expect(await Self.link(two, to: one))
    #expect(await one.ask(2) == .holding(.relay))
    #expect(await two.ask(1, "other") == .holding(.free))
    let want = one.wanted.withLock { $0.last }
    #expect(want?.sessionID == "other" && want?.claim == SessionClaim(tokenHash: "hash", attempt: 2))
    #expect(await two.ask(3) == .unreachable(isForLong: false))
    two.links.drain(within: 7)
    #expect(await eventually { one.drains.withLock { $0 } == [[2, 7]] })
    // A node that is cut off from the store learns that others are not.
    #expect(!one.links.havePeerThatIsBetterOff)
    one.isSuspended.store(true, ordering: .relaxed)
    #expect(await eventually { one.links.havePeerThatIsBetterOff })
    two.isSuspended.store(true, ordering: .relaxed)
    #expect(await eventually { !one.links.havePeerThatIsBetterOff }, "it is the store")
    #expect(!two.links.havePeerThatIsBetterOff)
  }

  /// Has one dial the other, again if it has to.
  private static func link(_ end: End, to other: End) async -> Bool {
    await eventually {
      end.links.update([other.node])
      return end.links.count > 0 && other.links.count > 0
    }
  }

  /// There is no answer once the link is gone, nor after three seconds; and another link is made.
  @Test func silence_isNoAnswer() async throws {
    let two = try End(2, answering: .free)
    do {
      let one = try End(1, answering: nil)
      #expect(await Self.link(two, to: one))
      #expect(await two.ask(1) == .unreachable(isForLong: false))
      #expect(one.wanted.withLock { $0.count } == 1)
    }
    #expect(await eventually { two.links.count == 0 })
    #expect(two.lost.withLock { $0 } == [1])
    #expect(await Self.link(two, to: try End(1, answering: .free)))
  }

  /// Publications come in order; what does not come is noticed with the next one, with the next beat, or once the node is gone.
  @Test func publications_areCounted() async throws {
    let two = try End(2, answering: .free)
    do {
      let one = try End(1, answering: .free)
      one.publish("before anybody")
      #expect(await Self.link(two, to: one))
      for name in ["a", "b"] { one.publish(name) }
      #expect(await eventually { two.heard.withLock { $0 } == ["gap", "a", "b"] })
      // Longer than a message may be.
      one.publish("long", bytes: 1 << 20)
      one.publish("c")
      #expect(await eventually { two.heard.withLock { $0 }.suffix(2) == ["gap", "c"] })
      one.publish("long", bytes: 1 << 20)
      #expect(await eventually { two.heard.withLock { $0 }.suffix(2) == ["c", "gap"] })
      two.publish("d")
      #expect(await eventually { one.heard.withLock { $0 } == ["d"] })
    }
    // It has said that it ends.
    #expect(await eventually { two.links.count == 0 })
    two.links.update([])
    #expect(await two.ask(1) == .unreachable(isForLong: false))
    #expect(two.heard.withLock { $0.count } == 6)
  }

  /// More than the loop can take are counted, and not kept.
  @Test func publicationsThatAreTooMany_areMissed() async throws {
    let (one, two) = (try End(1, answering: .free), try End(2, answering: .free))
    #expect(await Self.link(two, to: one))
    let count = 50_000
    for number in 0..<count { one.publish("\(number)") }
    let isOver = await eventually {
      one.publish("end")
      return two.heard.withLock { $0.last == "end" }
    }
    #expect(isOver)
    let heard = two.heard.withLock { $0 }
    let numbers = heard.compactMap { Int($0) }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    #expect(numbers.count == count || heard.contains("gap"), "\(numbers.count)")
  }

  /// All who are there when a link begins, in as many messages as it takes, then changes, and that nothing is known once the node has ended.
  @Test func whoIsThere_isTold() async throws {
    let two = try End(2, answering: .free)
    let guests = (0..<10_000).map { Array("\"guest \($0) \(String(repeating: "x", count: 100))\"".utf8) }
    do {
      let one = try End(1, answering: .free)
      one.roll.withLock { $0 = [PresenceChange(name: "guests", joined: guests, left: [])] }
      #expect(await Self.link(two, to: one))
      #expect(await eventually { two.known?.count == guests.count })
      #expect(await eventually { one.known == [] })
      one.links.tell(.change(PresenceChange(name: "guests", joined: [], left: Array(guests[1..<100]))))
      one.links.tell(.change(PresenceChange(name: "guests", joined: [Array("7".utf8)], left: [])))
      #expect(await eventually { two.known?.contains("7") == true })
      #expect(
        two.known?.count == guests.count - 98 && two.known?.contains(String(decoding: guests[0], as: UTF8.self)) == true
      )
      // A message that is too long is told as a roll.
      one.roll.withLock { $0 = [PresenceChange(name: "guests", joined: guests, left: [])] }
      one.links.tell(.change(PresenceChange(name: "guests", joined: guests, left: [])))
      #expect(await eventually { two.known?.count == guests.count })
      // The other one has a presence that it did not have before.
      one.roll.withLock { $0 = [] }
      two.links.tell(.rollWanted)
      #expect(await eventually { two.known == [] })
      one.links.tell(NamedValue(name: "count", version: 1, value: Array("1".utf8)))
      #expect(await eventually { two.values.withLock { $0 } == ["count"] })
    }
    #expect(await eventually { two.news.withLock { $0.last } == Heard(node: 1, duration: .zero) })
  }

  /// At the address of a node nobody listens any more: whichever of both would dial notices.
  @Test(arguments: [1, 2]) func addressWhereNobodyListens_isNoticed(own: Int) async throws {
    let end = try End(own, answering: .free)
    let gone = try ListeningSocket(host: "127.0.0.1", port: 0)
    closeDescriptor(gone.descriptor)
    let other = ClusterNode(id: 3 - own, program: "p", address: "127.0.0.1:\(gone.port)")
    #expect(
      await eventually {
        end.links.update([other])
        return end.refused.withLock { $0 == [other.id] }
      })
  }

  /// A node that passes a client on comes to the same place, with the same secret.
  @Test func clientOfAnotherNode_isTakenIn() async throws {
    let one = try End(1, answering: .free)
    try await blocking {
      let socket = try CurlSocket(url: "http://127.0.0.1:\(one.port)")
      var bytes: [UInt8] = []
      RelayedClient(of: 2, Caller(address: IPAddress(text: "203.0.113.9"))).write(into: &bytes, to: one.node)
      try socket.send(bytes)
    }
    #expect(await eventually { one.relayed.withLock { $0.map(\.node) } == [2] })
    #expect(one.relayed.withLock { $0.first?.caller.address } == IPAddress(text: "203.0.113.9"))
  }

  @Test(arguments: ["wrong secret", "no secret", "no node", "elsewhere", "plain", "relay", "bad relay", "noise"])
  func strangers_areNotAnswered(who: String) async throws {
    let one = try End(1, answering: .free)
    try await blocking {
      let socket = try CurlSocket(url: "http://127.0.0.1:\(one.port)")
      let secret = who == "wrong secret" ? String(one.links.ownSecret.reversed()) : one.links.ownSecret
      var headers: HeaderFields = [:]
      if who != "no secret" { headers.append(name: "Authorization", value: "Bearer \(secret)") }
      if who != "no node" { headers.append(name: "Rib-Node", value: "2") }
      var request = WebSocketHandshake.request(
        host: "localhost", path: who == "elsewhere" ? "/v1/socket" : "/node", key: "AAAAAAAAAAAAAAAAAAAAAA==",
        subprotocols: [], headers: headers)
      if who == "plain" { request = Array("GET /node HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8) }
      if who.hasSuffix("relay") {
        var node = one.node
        if who == "relay" { node.secret = String(node.secret.reversed()) }
        request = []
        RelayedClient(of: 2, Caller(address: nil)).write(into: &request, to: node)
        if who == "bad relay" {
          request = Array(String(decoding: request, as: UTF8.self).replacing("GET", with: "POST").utf8)
        }
      }
      if who == "noise" { request = [UInt8](repeating: 0x16, count: 64) }
      try socket.send(request)
      var bytes = ReceiveBuffer()
      let isAnswered = (try? socket.receive(into: &bytes)) == true
      #expect(!isAnswered && bytes.isEmpty)
      #expect(one.relayed.withLock { $0.isEmpty })
    }
  }
}
