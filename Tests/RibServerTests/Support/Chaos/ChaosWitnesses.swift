import Foundation
import RibClient
import RibTestSupport
import Wire

/// Clients of a node that is going to stand still: they go on elsewhere meanwhile, and leave their connections to the node open, to hear what it
/// says once it goes on.
final class ChaosWitnesses {
  /// How the connection to the node has ended.
  struct Ending {
    /// Milliseconds since the node went on.
    let time: Int
    /// What the node has said before; nil for nothing.
    let bye: Bye?
  }

  private final class Witness {
    var session = ClientSession()
    var link: ChaosLink?
    var bye: Bye?
    /// The session as it goes on elsewhere.
    var later = ClientSession()
    var laterLink: ChaosLink?
    var nextAttempt = 0
    var isElsewhere = false
    /// Whether it has acted elsewhere after the node went on, and was answered.
    var isAnswered = false
  }

  private(set) var endings: [Ending] = []
  private(set) var deviations: [String] = []
  private var witnesses: [Witness] = []
  private var random: SeededGenerator
  private var storage = [UInt8](repeating: 0, count: 65_536)
  /// How long they wait for a node that has other things to do, in seconds.
  private static let patience = 30.0

  /// - Parameter seed: what their connections draw from.
  init(seed: UInt64) { random = SeededGenerator(seed: seed, stream: 4_000_000) }

  /// Begins sessions at a node, each with one action that counts.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - port: the node's.
  /// - Throws: `ClientError`, or ``NeverTrue`` if the node does not answer.
  func begin(_ count: Int, at port: Int) throws {
    witnesses = (0..<count).map { _ in Witness() }
    for witness in witnesses {
      let link = ChaosLink(to: port, nil, &random)
      witness.link = link
      link.send(witness.session.hello(app: "ledger"))
    }
    var answered = 0
    try waitUntil(within: Self.patience) {
      for witness in witnesses {
        for event in hear(&witness.link, &witness.session) {
          switch event {
          case .live: witness.link?.send(try witness.session.act(.string("count"), to: .path("")))
          case .applied: answered += 1
          default: break
          }
        }
      }
      // One that the node has lost is none.
      witnesses.removeAll { $0.link == nil }
      return answered >= witnesses.count
    }
  }

  /// Has them go on at other nodes, while theirs stands still.
  ///
  /// - Parameters:
  ///   - ports: the other nodes'.
  ///   - end: until when, in milliseconds.
  /// - Throws: `ClientError`.
  func goOn(at ports: [Int], until end: Int) throws {
    var nextPing = 0
    while milliseconds() < end {
      let now = milliseconds()
      if now >= nextPing {
        nextPing = now + 1000
        // As by one who has not noticed anything; and elsewhere, so as not to be taken for silent.
        for witness in witnesses {
          if let ping = try? witness.session.ping() { witness.link?.send(ping) }
          if let ping = try? witness.later.ping() { witness.laterLink?.send(ping) }
        }
      }
      for witness in witnesses { try goOn(witness, ports, now) }
      Poll.pauseThread()
    }
  }

  private func goOn(_ witness: Witness, _ ports: [Int], _ now: Int) throws {
    if witness.laterLink == nil, now >= witness.nextAttempt {
      witness.isElsewhere = false
      witness.nextAttempt = now + 250
      if witness.later.lastWelcome == nil { witness.later = witness.session }
      witness.later.disconnected()
      guard let port = ports.randomElement(using: &random) else { return }
      let link = ChaosLink(to: port, witness.later.query, &random)
      link.send(try witness.later.resume())
      witness.laterLink = link
    }
    for case .live in hear(&witness.laterLink, &witness.later) { witness.isElsewhere = true }
  }

  /// Listens until the node, which goes on, has ended their connections, and acts once more where they are now.
  ///
  /// - Parameter start: when the node went on, in milliseconds.
  /// - Returns: how many went on elsewhere.
  /// - Throws: `ClientError`.
  func listen(since start: Int) throws -> Int {
    let gone = witnesses.filter { $0.isElsewhere && $0.laterLink != nil }
    do {
      try waitUntil(within: Self.patience) {
        for witness in gone where witness.link != nil { listenOnce(witness, since: start) }
        return gone.allSatisfy { $0.link == nil }
      }
      for witness in gone where witness.laterLink != nil {
        witness.laterLink?.send(try witness.later.act(.string("count"), to: .path("")))
      }
      try waitUntil(within: Self.patience) {
        for witness in gone {
          for case .applied in hear(&witness.laterLink, &witness.later) { witness.isAnswered = true }
        }
        return gone.allSatisfy { $0.isAnswered || $0.laterLink == nil }
      }
    } catch is NeverTrue {
      deviations.append("A node that went on has let its clients wait, or another one has.")
    }
    for witness in gone where witness.isAnswered {
      let count = LedgerView(witness.later.view)?.count ?? -1
      if count != 2 {
        deviations.append("A witness counts \(count) and not 2: \(witness.later.lastWelcome?.sessionID ?? "")")
      }
    }
    for witness in witnesses {
      for link in [witness.link, witness.laterLink] { if let link { close(link.descriptor) } }
    }
    witnesses = []
    return gone.count
  }

  /// Hears what the node says: nothing but that the client is to go.
  private func listenOnce(_ witness: Witness, since start: Int) {
    for event in hear(&witness.link, &witness.session) {
      switch event {
      case .ended(let bye, _): witness.bye = bye
      case .draining, .clients, .notice: break
      default: deviations.append("A node has shown something of what another one had taken: \(event)")
      }
    }
    if witness.link == nil { endings.append(Ending(time: milliseconds() - start, bye: witness.bye)) }
  }

  /// What is there to be heard; a connection that has ended is closed, and nil from then on.
  private func hear(_ link: inout ChaosLink?, _ session: inout ClientSession) -> [ClientEvent] {
    guard let open = link else { return [] }
    var events: [ClientEvent] = []
    do {
      for message in try open.receive(&storage) { events += try session.receive(message.span) }
    } catch {
      close(open.descriptor)
      link = nil
      session.disconnected()
    }
    return events
  }
}
