import ArgumentParser
import Configuration
import Logging
import RibAuth
import RibServer
import ServiceLifecycle
import Showcase
import UnixSignals

/// The daemon: the showcase's apps on a server.
@main
struct Ribd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ribd",
    abstract: "Serves riblet sessions over WebSocket.",
    discussion: """
      Each setting can be given as a flag, as an environment variable or in the file, in this order of precedence: \
      --limits-actions-per-second is RIBD_LIMITS_ACTIONS_PER_SECOND and limits.actionsPerSecond. What is no setting is an error.
      """,
    version: Server.version)

  @OptionGroup var flags: SettingFlags

  func run() async throws {
    Server.prepareProcess()
    let config = try await flags.makeConfig()
    let settings = try await ServerSettings(config)
    var logger = Logger(label: "ribd") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = try await flags.logLevel(config)
    let apps = Showcase.apps(ledger: try LedgerFile.service())
    let authenticator = try await AuthSettings(config).makeAuthenticator(logger)
    await authenticator?.prepare()
    let server = Server(
      apps: apps, files: try await flags.files(config), settings: settings, authenticator: authenticator, logger: logger
    ) { url in
      announce("ribd \(Server.version) listens on \(url)")
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
  }
}
