import Foundation
import RibTestSupport
import Synchronization

/// Guests of the showcase's room, who come to any node and leave, and an observer at each node: all of them show who is there.
///
/// They live on a thread of their own.
final class ChaosRoom: Sendable {
  /// How many guests there are, besides the observers.
  static let guestCount = 18

  /// The networks between the guests and each of the nodes.
  private let networks: [FaultyProxy]
  private let content: Mutex<Content>
  private let isOver = Atomic(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Has guests come to the nodes.
  ///
  /// - Parameters:
  ///   - ports: the nodes'.
  ///   - seed: what all draw from.
  init(to ports: [Int], seed: UInt64) {
    networks = ports.map { FaultyProxy(to: [$0], seed: seed, faultless: 0.7) }
    content = Mutex(Content(ports, networks.map(\.port), seed))
    BlockingThread.start { [self] in
      while !isOver.load(ordering: .acquiring) {
        content.withLock { $0.step() }
        Poll.pauseThread()
      }
      hasEnded.signal()
    }
  }

  /// Ends the thread, and the networks.
  func stop() {
    isOver.store(true, ordering: .releasing)
    hasEnded.wait()
    for network in networks { network.stop() }
  }

  // MARK: What happens

  /// Kills a node: some of the guests who are there do not come back.
  ///
  /// - Parameters:
  ///   - node: which.
  ///   - isForLong: whether its observer waits for it in vain, so that it is not to be on any list.
  ///   - kill: kills it.
  func die(_ node: Int, isForLong: Bool = false, _ kill: () -> Void) {
    let guests = content.withLock { $0.guests(at: node) }
    kill()
    content.withLock { $0.died(node, guests, isForLong) }
  }

  /// Takes note that a node is there again.
  func nodeIsBack() { content.withLock { $0.nodeIsBack() } }

  /// Has the networks do what they should, and nobody leave any more.
  func calmDown() {
    for network in networks { network.calmDown() }
    content.withLock { $0.calmDown() }
  }

  /// From now on nobody may be seen to leave who has not left for good.
  func beginWatch() { content.withLock { $0.audit.beStrict() } }

  /// Has all guests lose their connections, and come back at once.
  func cutAll() { content.withLock { $0.cutAll() } }

  /// Has one leave for good.
  func leave() { content.withLock { $0.leave() } }

  /// Waits until everybody is connected, and shows who is: nobody who is gone, and nobody is missing.
  ///
  /// - Parameter start: from when time is counted, in milliseconds.
  /// - Returns: how long it took, in milliseconds.
  /// - Throws: ``NeverTrue``.
  func waitUntilAgreed(since start: Int) throws -> Int {
    var time = 0
    try waitUntil {
      content.withLock { content in
        content.agreedSince.map { time = max($0 - start, 0) } != nil
      }
    }
    return time
  }

  // MARK: What has come of it

  /// What each shows that is not so.
  var disagreement: String { content.withLock { $0.disagreement } }

  var deviations: [String] { content.withLock { $0.guests.flatMap(\.deviations) } }

  /// Who was seen to leave and has not left for good, while somebody watched.
  var wrongDepartures: [String] {
    content.withLock { content in
      content.audit.wrongDepartures.map { departure in
        let recent = content.guests.first { $0.name == departure.name }?.recent ?? ""
        return
          "At node \(departure.observer) \(departure.name) was seen to leave at \(departure.time), and has not left for good:\n\(recent)"
      }
    }
  }

  /// How long those were shown at each node who had left as theirs was killed, and those who had left otherwise, in milliseconds; it is
  /// forgotten then.
  func takeTimes() -> (afterDeath: [Int], afterLeaving: [Int]) {
    content.withLock { content in
      defer { content.audit.forgetTimes() }
      return (content.audit.timesAfterDeath, content.audit.timesAfterLeaving)
    }
  }

  /// How many have left for good, how often somebody was seen to leave who was connected.
  var counts: (gone: Int, flickers: Int) {
    content.withLock { ($0.guests.count { $0.hasGone }, $0.audit.flickers) }
  }

  /// What the thread keeps.
  private struct Content {
    private let nodePorts: [Int]
    private let networkPorts: [Int]
    private(set) var guests: [ChaosGuest]
    var audit = PresenceAudit()
    /// Since when all show who is there; nil if they do not.
    private(set) var agreedSince: Int?
    private var random: SeededGenerator
    private var storage = [UInt8](repeating: 0, count: 65_536)
    private var isCalm = false
    /// The node that is dead for long.
    private var deadNode: Int?
    /// When somebody leaves next, for a while or for good.
    private var nextDeparture = 0

    init(_ nodePorts: [Int], _ networkPorts: [Int], _ seed: UInt64) {
      (self.nodePorts, self.networkPorts) = (nodePorts, networkPorts)
      random = SeededGenerator(seed: seed, stream: 5_000_000)
      guests = nodePorts.indices.map { ChaosGuest("observer \($0)", home: $0) }
      for _ in 0..<ChaosRoom.guestCount { guests.append(ChaosGuest("guest \(guests.count)")) }
    }

    mutating func step() {
      let now = milliseconds()
      var isChanged = false
      for index in guests.indices where !guests[index].hasGone {
        let (wasConnected, last, name) = (guests[index].isConnected, guests[index].list, guests[index].name)
        let ports = guests[index].home == nil ? networkPorts : nodePorts
        guests[index].step(at: now, ports, &random, &storage)
        let (isConnected, list) = (guests[index].isConnected, guests[index].list)
        guard isConnected != wasConnected || list != last else { continue }
        isChanged = true
        if isConnected { audit.connects(name, at: now) } else { disconnected(index) }
        if let home = guests[index].home { audit.shows(list, home, at: now) }
      }
      if !isCalm, now >= nextDeparture { depart(now) }
      if isChanged || agreedSince == nil { agreedSince = isAgreed ? agreedSince ?? now : nil }
    }

    /// Who waits for a node that is dead has left as it died.
    private mutating func disconnected(_ index: Int) {
      if deadNode == nil || guests[index].home != deadNode { audit.disconnects(guests[index].name) }
    }

    private mutating func depart(_ now: Int) {
      nextDeparture = now + Int.random(in: 100...800, using: &random)
      let present = guests.indices.filter { guests[$0].home == nil && guests[$0].isConnected }
      guard let index = present.randomElement(using: &random) else { return }
      if random.happens(0.1) { return go(index, now) }
      // A reload is not seen; who is away for longer is.
      guests[index].leave(now, for: Int.random(in: random.happens(0.7) ? 50...400 : 3000...6000, using: &random))
      audit.disconnects(guests[index].name)
    }

    private mutating func go(_ index: Int, _ now: Int, with node: Int? = nil) {
      guests[index].go(now, sayingBye: random.happens(0.5))
      audit.leaves(guests[index].name, at: now, with: node)
      // Somebody else comes.
      guests.append(ChaosGuest("guest \(guests.count)"))
      agreedSince = nil
    }

    /// Those who are connected to a node, but for its observer.
    func guests(at node: Int) -> [Int] {
      guests.indices.filter { guests[$0].home == nil && guests[$0].isConnected && guests[$0].node == node }
    }

    mutating func died(_ node: Int, _ there: [Int], _ isForLong: Bool) {
      let now = milliseconds()
      for (place, index) in there.enumerated() where !guests[index].hasGone && (place == 0 || random.happens(0.3)) {
        go(index, now, with: node)
      }
      agreedSince = nil
      guard isForLong else { return }
      deadNode = node
      for guest in guests where guest.home == node { audit.leaves(guest.name, at: now, with: node) }
    }

    mutating func nodeIsBack() { (deadNode, agreedSince) = (nil, nil) }

    mutating func calmDown() { (isCalm, agreedSince) = (true, nil) }

    mutating func cutAll() {
      let now = milliseconds()
      for index in guests.indices where guests[index].home == nil && !guests[index].hasGone {
        guests[index].leave(now, for: Int.random(in: 50...400, using: &random))
        audit.disconnects(guests[index].name)
      }
      agreedSince = nil
    }

    mutating func leave() {
      let present = guests.indices.filter { guests[$0].home == nil && guests[$0].isConnected }
      if let index = present.randomElement(using: &random) { go(index, milliseconds()) }
    }

    // MARK: Judging

    /// Those who have a node that they can be connected to.
    private var present: [ChaosGuest] {
      guests.filter { !$0.hasGone && (deadNode == nil || $0.home != deadNode) }
    }

    private var isAgreed: Bool {
      let present = present
      let names = Set(present.map(\.name))
      return present.allSatisfy { $0.isConnected && $0.list == names }
    }

    var disagreement: String {
      let present = present
      let names = Set(present.map(\.name))
      return present.filter { !$0.isConnected || $0.list != names }.map { guest in
        guard let list = guest.list else { return "\(guest.name) is not connected" }
        let (ghosts, missing) = (list.subtracting(names).sorted(), names.subtracting(list).sorted())
        return "\(guest.name) at node \(guest.node) shows \(ghosts), and misses \(missing)"
      }.joined(separator: "; ")
    }
  }
}
