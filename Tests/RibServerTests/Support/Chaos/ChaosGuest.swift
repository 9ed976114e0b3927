import Foundation
import RibClient
import Wire

/// A client of the showcase's room: it is on the list of who is there as long as it is connected, and shows that list.
struct ChaosGuest {
  let name: String
  /// The node that it stays with; nil for a guest who goes to any.
  let home: Int?
  /// The node that it was connected to last.
  private(set) var node: Int
  /// Whether it was welcomed, and its connection is there.
  private(set) var isConnected = false
  /// Whether it has left, and does not come back.
  private(set) var hasGone = false
  /// The names on the list that it shows; nil while it is not connected.
  private(set) var list: Set<String>?
  private(set) var deviations: [String] = []
  private var history: [String] = []
  /// What it did and heard last.
  var recent: String { history.suffix(40).joined(separator: "\n") }
  private var session = ClientSession()
  private var link: ChaosLink?
  private var heartbeat = Heartbeat(interval: 0, at: 0)
  private var nextAttempt = 0
  /// When it gives up a node that has not welcomed it.
  private var patience = 0
  /// Whether the node that it was connected to last has not welcomed it.
  private var wasTurnedAway = false

  /// A guest who is not connected yet.
  ///
  /// - Parameters:
  ///   - name: by which it is on the list.
  ///   - home: the node that it stays with; nil for any.
  init(_ name: String, home: Int? = nil) {
    (self.name, self.home) = (name, home)
    node = home ?? 0
  }

  // MARK: Time

  /// Does what is due, and hears what there is.
  ///
  /// - Parameters:
  ///   - now: in milliseconds.
  ///   - ports: by which it reaches each of the nodes.
  ///   - random: says which node it goes to.
  ///   - storage: for what is received.
  mutating func step(at now: Int, _ ports: [Int], _ random: inout SeededGenerator, _ storage: inout [UInt8]) {
    guard !hasGone else { return }
    guard link != nil else {
      if now >= nextAttempt { connect(now, ports, &random) }
      return
    }
    hear(now, &random, &storage)
    guard link != nil else { return }
    guard isConnected else {
      if now >= patience { leave(now, for: 0) }
      return
    }
    switch heartbeat.step(at: now) {
    case .wait: break
    case .ping:
      if let ping = try? session.ping() { link?.send(ping) }
      heartbeat.sent(at: now)
    case .giveUp: comeBack(now, &random)
    }
  }

  /// Closes its connection without a word, to come back later.
  ///
  /// - Parameters:
  ///   - now: in milliseconds.
  ///   - time: how long it stays away, in milliseconds.
  mutating func leave(_ now: Int, for time: Int) {
    note("leaves for \(time) ms", now)
    if let link { close(link.descriptor) }
    wasTurnedAway = !isConnected
    (link, list, isConnected) = (nil, nil, false)
    session.disconnected()
    nextAttempt = now + time
  }

  /// Leaves for good.
  ///
  /// - Parameters:
  ///   - now: in milliseconds.
  ///   - saysBye: whether it says so to the server; else it only closes its connection.
  mutating func go(_ now: Int, sayingBye saysBye: Bool) {
    if saysBye, isConnected, let bye = try? session.bye() { link?.send(bye) }
    leave(now, for: 0)
    hasGone = true
  }

  private mutating func comeBack(_ now: Int, _ random: inout SeededGenerator) {
    leave(now, for: Int.random(in: 50...400, using: &random))
  }

  private mutating func connect(_ now: Int, _ ports: [Int], _ random: inout SeededGenerator) {
    if home == nil, wasTurnedAway || random.happens(0.3) {
      node = ports.indices.randomElement(using: &random) ?? 0
    }
    let message: [UInt8]
    if session.lastWelcome == nil {
      session = ClientSession()
      message = session.hello(app: "room", parameters: .object(["name": .string(name)]))
    } else {
      guard let resume = try? session.resume() else { return deviate("It cannot resume its session.") }
      message = resume
    }
    let next = ChaosLink(to: ports[node], session.query, &random)
    next.send(message)
    link = next
    patience = now + 5000
    note("connects to node \(node)", now)
  }

  private mutating func note(_ text: String, _ now: Int) {
    if history.count >= 200 { history.removeFirst(100) }
    history.append("\(now) \(text)")
  }

  private mutating func deviate(_ text: String) {
    if deviations.count < 5 { deviations.append("\(name): \(text)") }
  }

  // MARK: Hearing

  private mutating func hear(_ now: Int, _ random: inout SeededGenerator, _ storage: inout [UInt8]) {
    do {
      for message in try link?.receive(&storage) ?? [] {
        heartbeat.received(at: now)
        for event in try session.receive(message.span) { take(event, now, &random) }
        guard link != nil else { return }
      }
    } catch {
      note("\(error)", now)
      comeBack(now, &random)
    }
  }

  private mutating func take(_ event: ClientEvent, _ now: Int, _ random: inout SeededGenerator) {
    switch event {
    case .live(let welcome):
      note("is live", now)
      isConnected = true
      heartbeat = Heartbeat(interval: welcome.heartbeat, at: now)
      list = Self.list(session.view)
    case .view: list = Self.list(session.view)
    case .draining:
      note("is asked to leave", now)
      comeBack(now, &random)
    case .outOfStep(let divergence):
      deviate("\(divergence)")
      comeBack(now, &random)
    case .ended(let bye, let text):
      note("bye \(bye?.rawValue ?? "?"): \(text)", now)
      switch bye?.comesBack ?? .atOnce {
      case .atOnce, .later: break
      case .asNewSession, .withCredential, .whenAsked, .not:
        deviate("The server does not want it any more: \(bye?.rawValue ?? "?"), \(text)")
        session = ClientSession()
      }
      comeBack(now, &random)
    default: break
    }
  }

  /// The names in the room's list of people; nil if there is no room in the view.
  private static func list(_ view: JSONValue?) -> Set<String>? {
    guard let nodes = view?["nodes"], let root = view?["root"]?.wholeNumber,
      case .array(let ids)? = nodes["\(root)"]?["children"]?["people"]?["ids"], let id = ids.first?.wholeNumber,
      case .array(let people)? = nodes["\(id)"]?["state"]?["people"]
    else { return nil }
    return Set(people.compactMap { $0["name"]?.string })
  }
}
