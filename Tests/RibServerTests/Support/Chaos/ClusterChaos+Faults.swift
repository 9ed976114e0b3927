import Foundation
import RibTestSupport
import Testing

@testable import RibPostgres

/// What is done to the nodes, to their networks and to their database.
extension ClusterChaos {
  /// A fault, and how it is called in the figures.
  enum Fault: String, CaseIterable {
    case kill = "kills"
    case stop = "stops"
    case standstill = "standstills"
    case longStandstill = "long standstills"
    case endOfConnections = "ends of all database connections"
    case standstillOfConnection = "database connections that stand still"
    case cutFromStore = "nodes cut from the database"
    case cutFromPeers = "nodes cut from all others"
    case cutFromPeer = "nodes cut from another one"
    case refusal = "addresses of nodes that refused connections"
    case killOfPrimary = "kills of the database"
    case cutOfStandby = "cuts of the standby"
    case promotion = "promotions"

    /// How often it happens, compared with the others.
    fileprivate var weight: Int {
      switch self {
      case .kill: 6
      case .stop, .standstillOfConnection, .cutFromStore: 4
      case .standstill: 3
      case .endOfConnections, .cutFromPeers, .cutFromPeer, .refusal, .killOfPrimary, .cutOfStandby: 2
      case .longStandstill, .promotion: 1
      }
    }
    fileprivate static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
  }

  func pause(_ milliseconds: ClosedRange<Int>) {
    usleep(UInt32(Int.random(in: milliseconds, using: &random)) * 1000)
  }

  /// A time, in milliseconds: sometimes it is longer than others wait before they take a node for dead.
  private func someTime() -> Int { Int.random(in: random.happens(0.3) ? 11_000...15_000 : 500...6000, using: &random) }

  private func outage() -> NetworkOutage { NetworkOutage(for: someTime(), &random) }

  /// Does something to a node or the database, and waits until it is over, but for cuts: those go on beside what comes next.
  func disturb() throws {
    // One of each at first, so that no run goes without.
    let fault = firstFaults.popLast() ?? Fault.weighted.randomElement(using: &random) ?? .kill
    count(fault.rawValue)
    guard let node = nodes.randomElement(using: &random) else { return }
    switch fault {
    case .kill:
      // It has not died by itself.
      room.die(node.number) { #expect(node.daemon.stop(SIGKILL) == SIGKILL) }
      // As on a machine that is still there; else connections to it are made and come to nothing, as if a balancer stood before it.
      node.setListening(random.happens(0.5))
      pause(0...3000)
      try start(node)
    case .stop:
      // In the end it writes what it has.
      reachDatabase(from: node)
      #expect(node.daemon.stop() == 0)
      try start(node)
    case .standstill:
      kill(node.daemon.pid, SIGSTOP)
      pause(500...5000)
      kill(node.daemon.pid, SIGCONT)
    case .longStandstill: try standStill(node)
    case .endOfConnections: pair.server.endConnections(named: ChaosNode.connections)
    case .standstillOfConnection:
      // What a node has given up is run late.
      guard let pid = try pair.server.connections(named: ChaosNode.connections).randomElement(using: &random) else {
        return
      }
      kill(pid, SIGSTOP)
      pause(500...7000)
      kill(pid, SIGCONT)
    case .cutFromStore: node.failDatabases(outage())
    case .cutFromPeers, .cutFromPeer: try cut(node, fromAll: fault == .cutFromPeers)
    case .refusal: refuse(node)
    case .killOfPrimary: try pair.restartPrimary { pause(0...3000) }
    case .cutOfStandby: pair.failStandby(outage())
    case .promotion: try promote()
    }
  }

  private func reachDatabase(from node: ChaosNode) {
    node.reachAll()
    pair.failStandby(.none)
  }

  func start(_ node: ChaosNode) throws {
    pair.failStandby(.none)
    try node.start()
  }

  private func cut(_ node: ChaosNode, fromAll: Bool) throws {
    let outage = outage()
    guard let mark = try node.mark(pair.server) else { return }
    let others = nodes.filter { $0 !== node }.shuffled(using: &random)
    if fromAll { node.peers.fail(outage) }
    for other in fromAll ? others : Array(others.prefix(1)) {
      other.peers.fail(outage.of(mark))
      if !fromAll, let otherMark = try other.mark(pair.server) { node.peers.fail(outage.of(otherMark)) }
    }
  }

  /// Has a node's address refuse connections, though the node lives on, and now and then does not reach the database either: others take it for dead
  /// earlier then, and still not before it takes itself for suspended.
  private func refuse(_ node: ChaosNode) {
    let time = someTime()
    node.peers.fail(.refusal(for: time))
    if random.happens(0.3) { node.failDatabases(NetworkOutage(for: time, &random)) }
  }

  /// Stops a node for so long that others take what it has, and listens to what it says once it goes on.
  private func standStill(_ node: ChaosNode) throws {
    for node in nodes { reachDatabase(from: node) }
    try waitUntil { (try? TwinClient(node.daemon.url).ask("GET", "/readyz").status) == 200 }
    try witnesses.begin(10, at: node.port)
    kill(node.daemon.pid, SIGSTOP)
    do {
      defer { kill(node.daemon.pid, SIGCONT) }
      let others = nodes.filter { $0 !== node }.map(\.port)
      try witnesses.goOn(at: others, until: milliseconds() + Int.random(in: 13_000...15_000, using: &random))
    }
    counts["witnesses", default: 0] += try witnesses.listen(since: milliseconds())
  }

  private func promote() throws {
    var old = 0
    try pair.promote { place in
      old = place
      for node in nodes { node.setDatabase(place, isThere: false) }
      pause(0...1000)
    }
    pause(0...2000)
    try pair.addStandby()
    for node in nodes { node.setDatabase(old, isThere: true) }
  }
}
