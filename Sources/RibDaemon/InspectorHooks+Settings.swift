import RibInspector
import RibServer

extension InspectorHooks {
  /// Shows operators the settings with their sources, and lets them reload these.
  ///
  /// - Parameters:
  ///   - server: the server, which is told the settings that are in force.
  ///   - reloader: reads them anew.
  mutating func show(settingsOf server: Server, _ reloader: Reloader) {
    settingSource = { key in server.settingsInForce.first { $0.name == key }?.source.description }
    programSettings = {
      let inForce = Dictionary(server.settingsInForce.map { ($0.name, $0) }) { first, _ in first }
      return Setting.ofDaemon.compactMap { setting in
        guard case .program = setting.kind, let found = inForce[setting.key] else { return nil }
        return SettingReport(
          id: setting.key, value: found.value == "none" ? "" : found.value, source: found.source.description,
          summary: setting.summary, needsRestart: !setting.isLive)
      }
    }
    reload = {
      let waiting = try await reloader.reload()
      return waiting.isEmpty
        ? "The settings were reloaded."
        : "The settings were reloaded, but these need a restart: \(waiting.joined(separator: ", "))."
    }
  }
}
