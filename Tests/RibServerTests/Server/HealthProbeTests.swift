import Synchronization
import Testing

@testable import RibServer

/// The question whether a server is well, at the address that its settings say.
@Suite struct HealthProbeTests {
  private func makeSettings(_ url: String) -> ServerSettings {
    ServerSettings(port: Int(url.split(separator: ":").last ?? "") ?? 0)
  }

  @Test func server_saysThatItIsWell_andThenThatItIsNotReady() async throws {
    try await withServer { server, url in
      try await blocking {
        var settings = makeSettings(url)
        for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
          settings.host = host
          let probe = try HealthProbe(settings)
          let (status, word) = try probe.ask("/livez")
          #expect(status == 200 && word == "live")
          #expect(try probe.ask("/readyz").word == "ready")
        }
        server.context.isDraining.store(true, ordering: .relaxed)
        let probe = try HealthProbe(settings)
        #expect(try probe.ask("/readyz").status == 404)
      }
    }
  }

  @Test func serverBehindAProxy_isAskedAsTheProxyWould() async throws {
    try await withServer({ $0.proxies.protocol = .required }) { _, url in
      try await blocking {
        var settings = makeSettings(url)
        settings.proxies.protocol = .required
        let probe = try HealthProbe(settings)
        #expect(try probe.ask("/livez").status == 200)
      }
    }
  }

  @Test func portThatWasPicked_isNotKnown() throws {
    let error = #expect(throws: HealthError.self) { _ = try HealthProbe(ServerSettings(port: 0)) }
    #expect(error?.description.contains("--port") == true)
  }
}
