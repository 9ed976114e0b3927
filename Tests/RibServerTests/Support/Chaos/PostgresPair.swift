import Foundation
import RibTestSupport

@testable import RibPostgres

/// Two PostgreSQL servers: the primary acknowledges nothing that the standby does not have, so that the standby can take its place.
final class PostgresPair {
  private struct Side {
    let server: PostgresServer
    /// The network by which the other server gets what is written here.
    let replication: FaultyProxy
  }

  private var primary: Side
  private var standby: Side
  /// Where the two listen, always in the same order.
  let ports: [Int]

  /// The server that can be written to.
  var server: PostgresServer { primary.server }

  /// Starts both.
  ///
  /// - Parameter seed: what the network does comes of it.
  /// - Throws: what the system says.
  init(seed: UInt64) throws {
    let sides = try (0..<2).map { _ in
      let server = try PostgresServer(port: LocalSocket.freePort())
      return Side(server: server, replication: FaultyProxy(to: [server.port], seed: seed, faultless: 1))
    }
    (primary, standby) = (sides[0], sides[1])
    ports = sides.map(\.server.port)
    try primary.server.command("create")
    try primary.server.command("start")
    try addStandby()
  }

  /// Ends both.
  func stop() {
    for side in [primary, standby] { side.replication.stop() }
  }

  /// Cuts the standby off: until it is back nothing is acknowledged.
  func failStandby(_ outage: NetworkOutage) { primary.replication.fail(outage) }

  /// Kills the primary with all that it has not acknowledged, and starts it again.
  ///
  /// - Parameter pause: how long it is away.
  /// - Throws: if it does not start.
  func restartPrimary(after pause: () -> Void) throws {
    try primary.server.command("end")
    pause()
    try primary.server.command("start")
  }

  /// Kills the primary for good, and promotes the standby; there is no other one then.
  ///
  /// - Parameter died: called once the primary is dead, with the place of its port.
  /// - Throws: if it cannot be promoted.
  func promote(onceDead died: (Int) -> Void) throws {
    try primary.server.command("end")
    died(ports.firstIndex(of: primary.server.port) ?? 0)
    // Of what was on its way to it nothing comes after its promotion.
    primary.replication.fail(.none)
    try standby.server.command("promote")
    (primary, standby) = (standby, primary)
  }

  /// Makes a standby of what the primary has, in the place of the other server, and has the primary wait for it from then on.
  ///
  /// - Throws: if it does not start, or does not follow.
  func addStandby() throws {
    try standby.server.command("copy \(primary.replication.port)")
    try standby.server.command("start")
    try primary.server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try primary.server.run("SELECT pg_reload_conf()")
    try waitUntil { [primary] in
      try primary.server.run(
        """
        SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'
          AND current_setting('synchronous_standby_names') = '*' AND replay_lsn = pg_current_wal_lsn()
        """
      ).count == 1
    }
  }
}
