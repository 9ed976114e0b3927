import RibCore
import RibServer
import Testing

@testable import RibPostgres

/// A watch that finds nothing would show nothing.
@Suite(.enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL")) struct LeaseWatchTests {
  @Test func rowThatAProcessWritesWithoutALease_isFound() throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    try store.begin(StoreStart())
    let connection = try PostgresConnection(url)
    try LeaseWatch.begin(connection)
    let lease = try store.create()
    #expect(try store.write(lease, StoreSample.cut(StoreSample.state(revision: 2), version: 2)) == "written")
    #expect(try LeaseWatch.deviations(connection).isEmpty)

    let other = try PostgresConnection(url.replacing("application_name=", with: "application_name=other"))
    let run = { (sql: String) throws in
      _ = try other.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))])
    }
    try run("UPDATE rib_session SET rev = rev + 1")
    #expect(try LeaseWatch.deviations(connection).count == 1)
    try run("UPDATE rib_riblet SET version = version")
    #expect(try LeaseWatch.deviations(connection).count == 2)
    // With a lease of its own it may.
    try run("UPDATE rib_session SET lease = lease + 1, version = 1")
    try run("UPDATE rib_riblet SET version = version")
    #expect(try LeaseWatch.deviations(connection).count == 2)
    // But what it has written before is not to come after it.
    try run("UPDATE rib_session SET version = 0")
    #expect(try LeaseWatch.deviations(connection).count == 3)
  }
}
