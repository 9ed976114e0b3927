import Logging
import Synchronization

extension Server {
  /// The settings in force.
  public var settings: ServerSettings { context.settings }

  /// Replaces settings of the running server, all or none of them, without an effect on who is connected.
  ///
  /// Settings that the server reads at its start alone stay as they are: where it listens, its threads, its store, compression. All else holds from the
  /// next event on: the front door for the next request, limits of connections and messages for the next connection, times for
  /// connections and sessions that are there within a minute.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - settings: the new ones.
  ///   - authenticator: what finds the persons behind clients from now on; nil for the same as before. A server that was made without an
  ///     authenticator stays without.
  /// - Returns: the names of settings that have changed, and need a restart.
  /// - Throws: ``SettingsError`` for a value that a setting cannot have: then all stays as it is.
  @discardableResult
  public func reload(
    _ settings: ServerSettings, authenticator: (any SessionAuthenticator)? = nil
  ) throws(SettingsError) -> [String] {
    let result = state.withLock { state -> Result<[String], SettingsError> in
      let old = context.settings
      var new = old
      let waiting = new.takeOver(settings)
      if let fault = settings.fault ?? new.fault { return .failure(fault) }
      context.replace(new, authenticator)
      guard case .running(var running) = state else { return .success(waiting) }
      for loop in running.loops { loop.follow(context.rules) }
      running.ceiling.start()
      if new.timeouts.watchdogSeconds != old.timeouts.watchdogSeconds {
        running.watchdog?.stop()
        context.lateLoopCount.store(0, ordering: .relaxed)
        running.watchdog = Watchdog(context, running.loops)
        state = .running(running)
      }
      return .success(waiting)
    }
    switch result {
    case .success(let waiting):
      context.metrics.noteReload(at: context.environment.time.wall())
      context.logger.info("The settings were reloaded.")
      if !waiting.isEmpty {
        context.logger.notice(
          "Settings have changed that need a restart.", metadata: ["settings": "\(waiting.joined(separator: ", "))"])
      }
      return waiting
    case .failure(let fault):
      noteFailedReload(fault)
      throw fault
    }
  }

  /// Takes note that new settings could not be read, so that all stays as it is: in the log, and in the metrics.
  ///
  /// - Parameter error: the reason.
  public func noteFailedReload(_ error: any Error) {
    context.metrics.noteFailedReload()
    context.logger.error("The settings were not reloaded, and all stays as it was.", metadata: ["reason": "\(error)"])
  }
}
