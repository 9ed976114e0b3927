package import ArgumentParser
import Configuration
import CoreMetrics
import Logging
import RibAuth
import RibInspector
import RibMetrics
import RibServer
import RibWeb
import ServiceLifecycle
import Showcase
import Synchronization
import UnixSignals

/// The command that `ribd` and `ribd-cluster` share: it serves the showcase's apps.
package enum DaemonCommand {
  /// The name and the help of a daemon's command.
  ///
  /// - Parameter program: which of them.
  /// - Returns: the configuration of its command.
  package static func configuration<Program: DaemonProgram>(of program: Program.Type) -> CommandConfiguration {
    CommandConfiguration(
      commandName: program.programName,
      abstract: "Serves riblet sessions over WebSocket.",
      discussion: """
        Each setting can be given as a flag, as an environment variable or in the file, in this order of precedence: \
        --limits-actions-per-second is RIBD_LIMITS_ACTIONS_PER_SECOND and limits.actionsPerSecond. What is no setting is an error.
        """,
      version: Server.version,
      // Without one of them it serves.
      subcommands: [
        BackupCommand<Program>.self,
        CheckCommand<Program>.self,
        CheckStateCommand<Program>.self,
        DemoCommand<Program>.self,
        HealthCommand<Program>.self,
        RestoreCommand<Program>.self,
      ])
  }

  /// Serves until the process is told to stop.
  ///
  /// - Parameters:
  ///   - flags: the settings that were given on the command line.
  ///   - program: the daemon.
  /// - Throws: what is wrong with the settings, or why the server cannot serve.
  package static func serve(_ flags: SettingFlags, as program: any DaemonProgram.Type) async throws {
    Server.prepareProcess()
    // First of all: otherwise a SIGHUP that comes before the server is up would end the process.
    let hangUps = await UnixSignalsSequence(trapping: .sighup)
    var configuration = try await DaemonConfiguration(flags)
    var settings = configuration.settings
    let sockets = try InheritedSockets.ofProcess()
    settings.socket = sockets["http"] ?? sockets.first(besides: ["admin"])
    settings.admin.socket = sockets["admin"]
    try sockets.check(areTaken: [settings.socket, settings.admin.socket])
    configuration.settings = settings
    try checkTokens(of: settings.admin, isSeen: isTerminal)
    let supervisor = Supervisor()
    let hasAdmin = !settings.admin.listen.isEmpty || settings.admin.socket != nil
    let listeners = Mutex(hasAdmin ? 2 : 1)
    let didBegin: @Sendable () -> Void = {
      let isReady = listeners.withLock { left in
        left -= 1
        return left == 0
      }
      guard isReady else { return }
      supervisor.tell("READY=1", "STATUS=Listens.")
      DemoOrder.ofProcess?.tellReady()
    }
    let recent = RecentLog()
    // Also for what riblets and libraries log.
    let sink = LogSink.standardError(configuration.logLevel, configuration.logFormat, keeping: recent)
    let mark = configuration.subjectMark
    LoggingSystem.bootstrap { DaemonLogHandler($0, to: sink, marking: mark) }
    let name = program.programName
    let logger = Logger(label: name)
    do {
      try CrashReports.ofProcess?.prepare()
    } catch {
      logger.error("Reports of crashes cannot be written.", metadata: ["reason": "\(error)"])
    }
    let metrics = PrometheusFactory { [logger] in logger.error("\($0)") }
    MetricsSystem.bootstrap(metrics)
    let demo = DemoOrder.ofProcess
    demo?.endWithSupervisor()
    // A version of the counter that a demo has deployed stays deployed, also for a server without a supervisor.
    let recorded = (try? settings.fileStoreDirectory).flatMap { DemoRecord(in: $0).version }
    let counter = demo?.version ?? recorded ?? .first
    let apps = Showcase.apps(ledger: try LedgerFile.service(), counter: counter)
    var environment = Environment.system
    // Both versions are in one executable, and do not show a session alike.
    if counter != .first { environment.program = "\(Executable.mark) \(counter.rawValue)" }
    let authenticator = try configuration.tokenSettings.map { try AuthSettings.makeAuthenticator($0, logger) }
    await authenticator?.prepare()
    let server = Server(
      apps: apps, files: try configuration.files, settings: settings, authenticator: authenticator,
      stores: program.stores, logger: logger, environment: environment
    ) { url in
      announce("\(name) \(Server.version) listens on \(url)")
      didBegin()
    }
    let stopper = Stopper()
    var hooks = InspectorHooks(of: server, settings)
    hooks.show(logOf: sink)
    hooks.drain = { try await stopper.stop() }
    let reloader = Reloader(flags, since: configuration, server, authenticator, sink, supervisor, logger)
    hooks.show(settingsOf: server, reloader, authenticatesClients: authenticator != nil)
    let admin = hasAdmin ? try makeAdminServer(of: server, hooks, logger, didBegin) : nil
    // The first one is stopped last: it can be asked until the server has stopped.
    var services: [any Service] = [server, SupervisionService(supervisor: supervisor, server: server)]
    if let admin { services.insert(admin, at: 0) }
    if let admin { await reloader.noteAdminServer(admin) }
    services.append(ReloadService(hangUps: hangUps, reloader: reloader, beganAtTerminal: isTerminal))
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    stopper.group.withLock { $0 = group }
    try await group.run()
  }

  /// Makes sure that a subcommand comes first: flags before it would be those of the command that serves, and have no effect.
  ///
  /// - Parameter name: the subcommand's.
  /// - Throws: `ValidationError`.
  static func check(isFirst name: String) throws {
    guard CommandLine.arguments.dropFirst().first != name else { return }
    throw ValidationError("\(name) comes first, and its flags behind it.")
  }

  /// Makes sure that an admin listener has tokens, or that one can be made which only a person sees.
  ///
  /// - Parameters:
  ///   - admin: the listener's settings.
  ///   - isSeen: whether a person sees what the daemon writes.
  /// - Throws: `ValidationError`, or `SettingsError` for an address that other machines reach.
  static func checkTokens(of admin: ServerSettings.Admin, isSeen: Bool) throws {
    guard !admin.listen.isEmpty || admin.socket != nil, admin.tokenFile.isEmpty else { return }
    if let fault = admin.fault { throw fault }
    // A token elsewhere would end in a log, which is read by more people than may operate the server.
    guard isSeen else {
      throw ValidationError(
        "An admin listener without a terminal needs admin.tokenFile, with the tokens that let operators in.")
    }
  }

  private static func makeAdminServer(
    of server: Server, _ hooks: InspectorHooks, _ logger: Logger, _ didBegin: @escaping @Sendable () -> Void
  ) throws -> AdminServer {
    let admin = try AdminServer(
      of: server, apps: [.inspector(of: server, hooks)], files: .inspector, logger: logger
    ) { url in
      announce("Operators look at \(url)")
      didBegin()
    }
    if let token = admin.madeToken { announce("The admin token of this start is \(token)") }
    return admin
  }
}

/// Ends the daemon as a signal does, for an operator.
private final class Stopper: Sendable {
  /// The daemon's services; nil before they run.
  let group = Mutex<ServiceGroup?>(nil)

  /// Begins the end.
  ///
  /// - Returns: what becomes of the daemon, in a sentence.
  func stop() async throws -> String {
    guard let group = group.withLock({ $0 }) else { throw InspectionError("The daemon does not run yet.") }
    await group.triggerGracefulShutdown()
    return "Clients are asked to go elsewhere, and the process ends."
  }
}
