import Foundation
import Logging
import RibTestSupport
import Testing

@testable import RibDaemon
@testable import RibServer

/// Which settings a running server takes over.
@Suite struct SettingReloadTests {
  /// A setting of which nobody has decided would need a restart, and say so to nobody.
  @Test func eachSetting_isLiveOrFixed() {
    let all = Set(Setting.ofDaemon.map(\.key))
    #expect(Setting.live.intersection(Setting.fixed).isEmpty)
    #expect(all.subtracting(Setting.live).subtracting(Setting.fixed) == [], "add them to Setting.live or Setting.fixed")
    #expect(Setting.live.union(Setting.fixed).subtracting(all) == [])
  }

  @Test func documentation_namesThoseThatNeedARestart() throws {
    let path = "Sources/RibServer/RibServer.docc/Settings.md"
    let article = try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
    let start = try #require(article.range(of: "These alone need a restart: "))
    let sentence = article[start.upperBound...].components(separatedBy: "\n\n")[0]
    #expect(Set(sentence.matches(of: #/`([\w.]+)`/#).map { String($0.1) }) == Setting.fixed)
  }

  private func changed(_ setting: Setting) throws -> ServerSettings {
    var settings = ServerSettings()
    switch setting.kind {
    case .number(let path, let range):
      settings[keyPath: path] = settings[keyPath: path] == range.upperBound ? range.lowerBound : range.upperBound
    case .bool(let path), .flag(let path): settings[keyPath: path].toggle()
    case .text(let path, let form): settings[keyPath: path] = form.example
    case .list(let path, let form): settings[keyPath: path] = [form.example]
    case .word(let path):
      let other = try #require(path.words.first { $0 != setting.preset })
      let isKnown = path.set(&settings, other)
      #expect(isKnown)
    case .program: Issue.record("\(setting.key) is no setting of a server")
    }
    return settings
  }

  /// Each row is taken over, or named; and back again.
  @Test func eachSetting_isTakenOver_orNamed() throws {
    for setting in Setting.all {
      let server = Server(apps: [], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let new = try changed(setting)
      #expect(new != ServerSettings(), "\(setting.key)")
      let waiting = try server.reload(new)
      #expect(waiting == (setting.isLive ? [] : [setting.key]))
      #expect(server.settings == (setting.isLive ? new : ServerSettings()), "\(setting.key)")
      let back = try server.reload(ServerSettings())
      // A file of tokens cannot be taken away: there is no token in its place.
      let stays = setting.key == "admin.tokenFile"
      #expect(back == (stays ? [setting.key] : []))
      #expect(server.settings == (stays ? new : ServerSettings()), "\(setting.key)")
    }
  }

  @Test func settingsThatDoNotFit_changeNothing() throws {
    let server = Server(apps: [], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    var settings = ServerSettings()
    settings.limits.connections = 7
    settings.timeouts.idleSeconds = 0
    #expect(throws: SettingsError(key: "timeouts.idleSeconds", value: "0", range: 1...86_400)) {
      try server.reload(settings)
    }
    settings.timeouts.idleSeconds = 1
    settings.auth.cookie = "__Host-s"
    settings.origins = ["*"]
    #expect(throws: SettingsError.self) { try server.reload(settings) }
    #expect(server.settings == ServerSettings())
  }

  @Test func settingsInForce_haveTheirSources_andNoSecret() throws {
    var settings = ServerSettings()
    settings.limits.sessions = 5
    settings.storeURL = "postgresql://ribs:secret@db/ribs"
    let server = Server(
      apps: [], settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let found = Dictionary(uniqueKeysWithValues: server.settingsInForce.map { ($0.name, $0) })
    #expect(found.count == Setting.all.count)
    #expect(found["limits.sessions"]?.value == "5" && found["limits.sessions"]?.source == .program)
    #expect(found["storeURL"]?.value == "set")
    #expect(found["port"]?.value == "8080" && found["port"]?.source == .preset && found["port"]?.isLive == false)
  }
}
