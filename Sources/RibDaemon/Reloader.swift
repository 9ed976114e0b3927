import ArgumentParser
import Logging
import RibAuth
import RibServer
import Synchronization

/// Reloads the daemon's settings: all of them, or none if anything is wrong with one.
actor Reloader {
  private let flags: SettingFlags
  private let start: DaemonConfiguration
  private let server: Server
  private var admin: AdminServer?
  private let sink: LogSink
  private let supervisor: Supervisor
  private let logger: Logger
  /// The tokens that are accepted at present.
  private var tokenSettings: JWTSettings?
  /// The authenticator that is in use; nil if the server has none.
  private(set) var authenticator: JWTAuthenticator?
  /// The reload that was asked for last.
  private var last: Task<[String], any Error>?

  /// A reloader.
  ///
  /// - Parameters:
  ///   - flags: the settings that were given on the command line: they stay, and go before the file.
  ///   - start: the configuration that the daemon has started with.
  ///   - server: the server.
  ///   - authenticator: the server's; nil if it has none.
  ///   - sink: where the daemon's loggers write.
  ///   - supervisor: told when a reload begins and ends.
  ///   - logger: logs what needs a restart.
  init(
    _ flags: SettingFlags, since start: DaemonConfiguration, _ server: Server, _ authenticator: JWTAuthenticator?,
    _ sink: LogSink,
    _ supervisor: Supervisor, _ logger: Logger
  ) {
    self.flags = flags
    self.start = start
    self.server = server
    self.authenticator = authenticator
    self.sink = sink
    self.supervisor = supervisor
    self.logger = logger
    tokenSettings = start.tokenSettings
    server.tell(settings: start.report(inForce: server.settings, since: start))
  }

  /// Takes note of the admin server, whose tokens are reloaded as well.
  func noteAdminServer(_ admin: AdminServer) { self.admin = admin }

  /// Reads the settings anew, and has them hold.
  ///
  /// - Returns: the names of settings that have changed, and need a restart.
  /// - Throws: the first fault that is found: then all stays as it is, and the log says so.
  @discardableResult func reload() async throws -> [String] {
    let before = last
    // One after the other: what was read later has to hold.
    let task = Task {
      _ = try? await before?.value
      return try await reloadNow()
    }
    last = task
    return try await task.value
  }

  private func reloadNow() async throws -> [String] {
    supervisor.tellReloading()
    defer { supervisor.tell("READY=1", "STATUS=Listens.") }
    var new: DaemonConfiguration
    let newAuthenticator: JWTAuthenticator?
    do {
      new = try await DaemonConfiguration(flags)
      new.settings.admin.socket = start.settings.admin.socket
      if let fault = new.settings.admin.fault { throw fault }
      newAuthenticator = try await makeAuthenticator(new.tokenSettings)
    } catch {
      server.noteFailedReload(error)
      throw error
    }
    // The level first: the server says at info that it was done.
    let old = (sink.ownLevel, sink.format)
    sink.set(new.logLevel, new.logFormat)
    var waiting: [String]
    do {
      waiting = try server.reload(new.settings, authenticator: newAuthenticator)
    } catch {
      sink.set(old.0, old.1)
      throw error
    }
    if let newAuthenticator { authenticator = newAuthenticator }
    if start.tokenSettings != nil, new.tokenSettings != nil { tokenSettings = new.tokenSettings }
    if let tokens = new.adminTokens { admin?.replace(tokens) }
    let ofDaemon = new.needsRestart(since: start)
    if !ofDaemon.isEmpty {
      logger.notice(
        "Settings of the daemon have changed that need a restart.",
        metadata: ["settings": "\(ofDaemon.joined(separator: ", "))"])
    }
    waiting += ofDaemon
    server.tell(settings: new.report(inForce: server.settings, since: start))
    return waiting
  }

  /// The authenticator of new settings; nil to keep the one that there is.
  private func makeAuthenticator(_ new: JWTSettings?) async throws -> JWTAuthenticator? {
    // A server has an authenticator from its start on, or never.
    guard let new, start.tokenSettings != nil else { return nil }
    // The keys that it has loaded may be all that there are for a while, and it loads new ones by itself.
    if new == tokenSettings, !new.keysURL.isEmpty { return nil }
    let authenticator = try AuthSettings.makeAuthenticator(new, logger)
    await authenticator.prepare()
    guard authenticator.hasKeys else {
      throw ValidationError(
        "The keys at auth.keysURL \(new.keysURL.withoutUser) cannot be loaded: nobody could sign in.")
    }
    return authenticator
  }
}
