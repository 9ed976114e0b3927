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
