package import ArgumentParser
import Configuration
import Logging
import RibAuth
package import RibServer
import ServiceLifecycle
import Showcase
import UnixSignals

/// The command that `ribd` and `ribd-cluster` share: it serves the showcase's apps.
package enum DaemonCommand {
  /// The name and the help of a daemon's command.
  ///
  /// - Parameter name: its command.
  /// - Returns: the configuration of its command.
  package static func configuration(_ name: String) -> CommandConfiguration {
    CommandConfiguration(
      commandName: name,
      abstract: "Serves riblet sessions over WebSocket.",
      discussion: """
        Each setting can be given as a flag, as an environment variable or in the file, in this order of precedence: \
        --limits-actions-per-second is RIBD_LIMITS_ACTIONS_PER_SECOND and limits.actionsPerSecond. What is no setting is an error.
        """,
      version: Server.version)
  }

  /// Serves until the process is told to stop.
  ///
  /// - Parameters:
  ///   - flags: the settings that were given on the command line.
  ///   - stores: kinds of stores that the daemon has besides the server's own.
  /// - Throws: what is wrong with the settings, or why the server cannot serve.
  package static func serve(_ flags: SettingFlags, stores: [ExternalStore] = []) async throws {
    Server.prepareProcess()
    let config = try await flags.makeConfig()
    let settings = try await ServerSettings(config)
    var logger = Logger(label: "ribd") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = try await flags.logLevel(config)
    let apps = Showcase.apps(ledger: try LedgerFile.service())
    let authenticator = try await AuthSettings(config).makeAuthenticator(logger)
    await authenticator?.prepare()
    let server = Server(
      apps: apps, files: try await flags.files(config), settings: settings, authenticator: authenticator,
      stores: stores,
      logger: logger
    ) { url in
      announce("ribd \(Server.version) listens on \(url)")
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
  }
}
