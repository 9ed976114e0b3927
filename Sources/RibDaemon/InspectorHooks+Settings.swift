import RibAuth
import RibInspector
import RibServer

extension InspectorHooks {
  /// Shows operators the settings with their sources and the keys that are in use, and lets them reload both.
  ///
  /// - Parameters:
  ///   - server: the server, which is told the settings that are in force.
  ///   - reloader: reads them anew.
  ///   - authenticatesClients: whether the server has an authenticator, which may be another one after a reload.
  mutating func show(settingsOf server: Server, _ reloader: Reloader, authenticatesClients: Bool) {
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
    guard authenticatesClients else { return }
    keys = { await reloader.authenticator?.keyReport ?? SignInReport() }
    refetchKeys = {
      guard await reloader.authenticator?.refetchKeys() == true else {
        throw InspectionError("The keys cannot be loaded: the log says why.")
      }
      return "The keys are those that the issuer has now."
    }
  }
}
