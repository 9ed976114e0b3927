import Configuration
import Testing

@testable import RibServer

@Suite struct ServerSettingsTests {
  private func settings(_ values: [AbsoluteConfigKey: ConfigValue]) async throws -> ServerSettings {
    try await ServerSettings(ConfigReader(provider: InMemoryProvider(values: values)))
  }

  @Test func nothingSaid_isTheDefaults() async throws {
    #expect(try await settings([:]) == ServerSettings())
  }

  @Test func everySetting_isRead() async throws {
    let read = try await settings([
      "host": "0.0.0.0", "port": 1, "loops": 2, "lingerMilliseconds": 3, "usesEpoll": false, "limits.messageBytes": 4,
      "limits.actionsPerSecond": 5, "limits.actionBurst": 6, "limits.writeQueueBytes": 7,
      "usesCompression": false, "echo": true, "compression.keepsContext": true, "compression.windowBits": 11,
      "compression.thresholdBytes": 12, "timeouts.handshakeSeconds": 8, "timeouts.heartbeatSeconds": 9,
      "timeouts.closingSeconds": 10, "limits.connections": 13, "limits.connectionsPerAddress": 14,
      "limits.bodyBytes": 15, "timeouts.bodySeconds": 16, "timeouts.idleSeconds": 17,
      "limits.sessions": 18, "sessions.timeToLiveSeconds": 19, "sessions.untouchedSeconds": 20,
      "record": "recordings",
    ])
    var expected = ServerSettings()
    expected.host = "0.0.0.0"
    expected.port = 1
    expected.loops = 2
    expected.lingerMilliseconds = 3
    expected.usesEpoll = false
    expected.limits.messageBytes = 4
    expected.limits.actionsPerSecond = 5
    expected.limits.actionBurst = 6
    expected.limits.writeQueueBytes = 7
    expected.usesCompression = false
    expected.echo = true
    expected.compression.keepsContext = true
    expected.compression.windowBits = 11
    expected.compression.thresholdBytes = 12
    expected.timeouts.handshakeSeconds = 8
    expected.timeouts.heartbeatSeconds = 9
    expected.timeouts.closingSeconds = 10
    expected.limits.connections = 13
    expected.limits.connectionsPerAddress = 14
    expected.limits.bodyBytes = 15
    expected.timeouts.bodySeconds = 16
    expected.timeouts.idleSeconds = 17
    expected.limits.sessions = 18
    expected.sessions.timeToLiveSeconds = 19
    expected.sessions.untouchedSeconds = 20
    expected.recordDirectory = "recordings"
    #expect(read == expected)
  }

  @Test func valueOutOfRange_isNamed() async {
    await #expect(throws: SettingsError(key: "port", value: "65536", range: 0...65_535)) {
      _ = try await settings(["port": 65_536])
    }
    for bits in [8, 16] {
      let error = SettingsError(key: "compression.windowBits", value: "\(bits)", range: 9...15)
      await #expect(throws: error) {
        _ = try await settings(["compression.windowBits": ConfigValue(.int(bits), isSecret: false)])
      }
    }
    await #expect(throws: SettingsError(key: "limits.actionBurst", value: "0", range: 1...Int(UInt32.max))) {
      _ = try await settings(["limits.actionBurst": 0])
    }
  }

  @Test func valueOutOfRange_thatIsSetInCode_isNamed() {
    var settings = ServerSettings()
    #expect(settings.fault == nil)
    settings.timeouts.idleSeconds = .max
    #expect(settings.fault == SettingsError(key: "timeouts.idleSeconds", value: "\(Int.max)", range: 1...86_400))
    settings.limits.actionsPerSecond = -1
    #expect(settings.fault?.key == "limits.actionsPerSecond")
  }

  /// Not when the first client comes.
  @Test func serverWithSuchAValue_traps() async {
    await #expect(processExitsWith: .failure) {
      var settings = ServerSettings()
      settings.compression.windowBits = 16
      _ = Server(apps: [], settings: settings)
    }
  }

  @Test func valueOfAnotherType_isAnError() async {
    await #expect(throws: (any Error).self) { _ = try await settings(["port": "eighty"]) }
  }
}
