package import ArgumentParser
import Logging
import RibAuth
import RibServer
import Wire

/// `ribd check`: reads the settings as the daemon would, and says what is in force, or what is wrong.
package struct CheckCommand<Program: DaemonProgram>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check",
      abstract: "Checks the settings, and prints which are in force and where each comes from.",
      discussion: """
        Files of tokens and keys, directories and addresses are looked at as well. Nothing is made or changed, and a daemon that runs is not \
        disturbed. The exit code is 0 if the daemon could start with these settings, otherwise 1.
        """)
  }

  @OptionGroup var flags: SettingFlags
  @Flag(help: "Print one JSON object.") var json = false

  package init() {}

  package func validate() throws { try DaemonCommand.check(isFirst: "check") }

  package func run() async throws {
    do {
      announce(json ? Self.json(try await settings(), nil) : Self.table(try await settings()))
    } catch {
      if json { announce(Self.json([], "\(error)")) } else { complain("\(error)") }
      throw ExitCode(1)
    }
  }

  /// The settings in force.
  ///
  /// - Throws: the first fault that is found.
  private func settings() async throws -> [SettingInForce] {
    let configuration = try await DaemonConfiguration(flags)
    try configuration.settings.check(
      stores: Program.stores, isPrivate: configuration.tokenSettings?.required == true)
    // Wherever this is run, it is a service that the settings are checked for.
    try DaemonCommand.checkTokens(of: configuration.settings.admin, isSeen: false)
    if !configuration.webDirectory.isEmpty { _ = try configuration.files }
    if let tokens = configuration.tokenSettings {
      _ = try AuthSettings.makeAuthenticator(tokens, Logger(label: "check") { _ in SwiftLogNoOpLogHandler() })
    }
    return configuration.report(inForce: configuration.settings, since: configuration)
  }

  private static func table(_ settings: [SettingInForce]) -> String {
    let rows = settings.map { [$0.name, $0.value, $0.source.description] }
    let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return (cells + [row[2]]).joined(separator: "  ")
    }
    return (lines + ["", "The settings are right."]).joined(separator: "\n")
  }

  private static func json(_ settings: [SettingInForce], _ fault: String?) -> String {
    var json = JSONWriter()
    json.beginObject()
    json.key("ok")
    json.bool(fault == nil)
    if let fault {
      json.key("fault")
      json.string(fault)
    } else {
      json.key("settings")
      json.beginArray()
      for setting in settings {
        json.beginObject()
        for (key, value) in [
          ("name", setting.name), ("value", setting.value), ("source", setting.source.description),
        ] {
          json.key(key)
          json.string(value)
        }
        json.key("live")
        json.bool(setting.isLive)
        json.endObject()
      }
      json.endArray()
    }
    json.endObject()
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
