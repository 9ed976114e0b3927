import RibCore

// Who is there at each node, and which values all share, as nodes tell each other. A link takes messages in order or ends, so that only what
// was left out of one that is behind has to be told anew: all that there is, as to a node that has just come.

extension Links {
  /// Bytes of values in a message of a roll.
  private static let rollLimit = 1 << 18

  /// Tells the other nodes who is there at this one.
  ///
  /// - Parameter news: what has changed, or that it is to be told what others have.
  func tell(_ news: PresenceNews) {
    loop.execute { [self] in
      let json = LinkMessage.presence(news).json
      for link in Array(open.values) {
        if link.canTake(json) {
          link.send(json)
        } else if news == .rollWanted {
          wantedRolls.insert(link.peer)
        } else {
          owedRolls.insert(link.peer)
        }
      }
    }
  }

  /// Tells the other nodes what a cluster value is now; those that do not hear it read it from the store.
  ///
  /// - Parameter value: as the store has it.
  func tell(_ value: NamedValue) {
    loop.execute { [self] in
      let json = LinkMessage.value(value).json
      for link in Array(open.values) where link.canTake(json) { link.send(json) }
    }
  }

  /// Tells a node all who are there at this one, as soon as its link takes it.
  func owe(_ peer: Int) {
    owedRolls.insert(peer)
    payRolls()
  }

  /// Tells all who are there at this node to those that are to be told.
  func payRolls() {
    for link in wantedRolls.compactMap({ open[$0] }) where !link.isBehind {
      wantedRolls.remove(link.peer)
      link.send(.presence(.rollWanted))
    }
    guard !owedRolls.isEmpty else { return }
    let links = owedRolls.compactMap { open[$0] }.filter { !$0.isBehind }
    guard !links.isEmpty else { return }
    let messages = [PresenceNews.rollBegins] + node.roll().flatMap(Self.parts).map { .change($0) } + [.rollEnds]
    for message in messages {
      let json = LinkMessage.presence(message).json
      for link in links { link.send(json) }
    }
    for link in links { owedRolls.remove(link.peer) }
  }

  /// A roll in parts, each of which fits into a message.
  private static func parts(_ change: PresenceChange) -> [PresenceChange] {
    var (parts, part, bytes): ([PresenceChange], [[UInt8]], Int) = ([], [], 0)
    for value in change.joined {
      if bytes + value.count > rollLimit, !part.isEmpty {
        parts.append(PresenceChange(name: change.name, joined: part, left: []))
        (part, bytes) = ([], 0)
      }
      part.append(value)
      bytes += value.count
    }
    return parts + [PresenceChange(name: change.name, joined: part, left: [])]
  }

  func didReceive(_ news: PresenceNews, over link: Link) {
    // Another link of the same node has begun with all that there is.
    guard open[link.peer] === link else { return }
    if news == .rollWanted { return owe(link.peer) }
    heardOf.insert(link.peer)
    node.hear(news, link.peer)
  }

  /// What was known of a node does not hold any more.
  func forgetPresence(of peer: Int) {
    guard heardOf.remove(peer) != nil else { return }
    let duration = missingSince[peer].map { loop.now - min($0, loop.now) } ?? 0
    node.forget(peer, .nanoseconds(duration))
  }

  /// The same of nodes that are taken for dead; with one that can be reached all goes on.
  func forgetPresence(ofDead nodes: [Int]) {
    loop.execute { [self] in for peer in nodes where open[peer] == nil { forgetPresence(of: peer) } }
  }

  /// The same of nodes without a link that are not there, or have not been reached for long.
  func forgetPresence(ofAllBut alive: Set<Int>) {
    for peer in heardOf where open[peer] == nil && (!alive.contains(peer) || hasBeenLong(missingSince[peer])) {
      forgetPresence(of: peer)
    }
  }
}
