import RibTestSupport
import Testing

@testable import RibPostgres
@testable import RibServer

/// Signed-in clients behind a proxy, as most are: their sessions count towards quotas, and have persons.
///
/// The figures that it prints are those of docs/Cluster.md.
@Suite(
  .enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL"), .timeLimit(.minutes(20)))
struct RemoteClientsTests {
  private static func count(_ condition: String, _ url: String) throws -> Int {
    let query = PostgresQuery("SELECT count(*) FROM \(condition)", isPrepared: false)
    return try PostgresConnection(url).run([PostgresStatement(query)])[0].first?.integer(0) ?? 0
  }

  @Test func signedInClients_beginSessions_whichAreFreeOnceTheServerHasStopped() async throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    try store.begin(StoreStart())
    // Both ends of each connection are in this process.
    let wave = min(2000, (Server.raiseDescriptorLimit() - 500) / 2)
    let waves = TestRun.volume(1, nightly: 8), size = TestRun.volume(min(wave, 500), nightly: wave)
    let host = try StoreHost([Logbook.app()], on: store, isShared: nil, authenticator: Doorman()) {
      $0.sessions.restSeconds = 3600
      $0.limits.sessionsPerIdentity = 10
    }
    let (clock, port) = (ContinuousClock(), Int(host.url.split(separator: ":")[2]) ?? 0)
    var times: [Duration] = []
    for number in 0..<waves {
      // Two sessions a person, twenty an address.
      let crowd = try await blocking {
        let start = clock.now
        let crowd = try Crowd(size, port: port, app: "logbook") { client in
          let client = number * size + client
          return Crowd.Guest(
            address: "198.18.\(client / 20 / 250).\(client / 20 % 250)", credential: "person\(client / 2)")
        }
        return (crowd, clock.now - start)
      }
      times.append(crowd.1)
    }
    let total = waves * size
    #expect(try Self.count("rib_session WHERE place IS NOT NULL AND holder <> 0", url) == total)
    #expect(try Self.count("(SELECT DISTINCT subject FROM rib_person) AS p", url) == total / 2)
    let start = clock.now
    await host.stop()
    let stop = clock.now - start
    let rate = { (time: Duration) in Int(Double(size) / (time / .seconds(1))) }
    print(
      "\(total) signed-in remote clients: \(times.map(rate)) sessions begun a second;",
      "the server stops in \(stop)")
    #expect(try Self.count("rib_session WHERE holder <> 0", url) == 0)
  }
}
