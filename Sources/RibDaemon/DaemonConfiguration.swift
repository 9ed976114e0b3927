import ArgumentParser
import Logging
import RibAuth
import RibServer
import RibWeb

/// The daemon's configuration, by flags, environment and file: read and checked as a whole, for a start, for a reload and for `check`.
struct DaemonConfiguration: Sendable {
  /// The server's settings.
  var settings: ServerSettings
  /// The least important level that is logged.
  let logLevel: Logger.Level
  /// How lines of the log are written.
  let logFormat: LogFormat
  /// Writes persons into the log; nil if the log may name them.
  let subjectMark: SubjectMark?
  /// Which tokens are accepted; nil if clients are not authenticated.
  let tokenSettings: JWTSettings?
  /// The tokens of `admin.tokenFile`; nil if there is no such file.
  let adminTokens: AdminTokens?
  /// The directory that is served in place of the showcase's page; empty for none.
  let webDirectory: String
  private let sources: SettingSources
  /// The values of settings that the program reads, and not the server.
  private let texts: [String: String]

  /// Reads flags, environment and file.
  ///
  /// - Parameter flags: the settings that were given on the command line.
  /// - Throws: the first fault that is found.
  init(_ flags: SettingFlags) async throws {
    sources = try await flags.read()
    let config = sources.config
    settings = try await ServerSettings(config)
    (logLevel, logFormat) = (try await flags.logLevel(config), try await flags.logFormat(config))
    subjectMark = try await flags.subjectMark(config)
    tokenSettings = try await AuthSettings(config).read()
    adminTokens = try settings.admin.tokenFile.isEmpty ? nil : AdminTokens(file: settings.admin.tokenFile)
    webDirectory = await config.text("web") ?? ""
    var texts: [String: String] = [:]
    for setting in Setting.ofDaemon {
      if case .program = setting.kind { texts[setting.key] = await config.text(setting.key) }
    }
    self.texts = texts
  }

  /// The files that are served beside the server's own endpoints: the showcase's page, or a directory of one's own.
  ///
  /// - Throws: `StaticFilesError` if the directory cannot be read.
  var files: StaticFiles {
    get throws {
      var files = StaticFiles.showcase
      if !webDirectory.isEmpty {
        // With the client beside it, unless it has a client of its own.
        files = .client
        try files.add(directory: webDirectory)
      }
      DemoOrder.ofProcess?.tellPage(in: &files)
      return files
    }
  }

  /// The names of the program's own settings that differ from those of the start, and need a restart.
  ///
  /// - Parameter start: the configuration that the daemon has started with.
  /// - Returns: the names, in the order of the help.
  func needsRestart(since start: DaemonConfiguration) -> [String] {
    Setting.ofDaemon.filter { !$0.isLive && texts[$0.key] != start.texts[$0.key] }.map(\.key)
  }

  /// The settings in force, in the order of the help.
  ///
  /// - Parameters:
  ///   - inForce: the server's.
  ///   - start: the configuration that the daemon has started with.
  /// - Returns: the settings, with their sources.
  func report(inForce: ServerSettings, since start: DaemonConfiguration) -> [SettingInForce] {
    Setting.ofDaemon.map { setting in
      var (old, new) = (setting.fullValue(in: inForce), setting.fullValue(in: settings))
      if case .program = setting.kind {
        new = texts[setting.key] ?? setting.preset
        old = setting.isLive ? new : start.texts[setting.key] ?? setting.preset
      }
      guard old != new else { return SettingInForce(setting, old, from: sources.source(of: setting)) }
      return SettingInForce(setting, old, from: start.sources.source(of: setting), waiting: new)
    }
  }
}
