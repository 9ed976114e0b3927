import RibServer

extension InspectorService {
  /// The service of a server in this process.
  ///
  /// - Parameters:
  ///   - server: the server; it need not run yet.
  ///   - hooks: what the program adds.
  init(of server: Server, _ hooks: InspectorHooks) {
    self.init(
      overview: { Look { try await server.seen.overview() } },
      sessions: { search in Look { try await server.seen.sessions(search) } },
      session: { id, name in
        // The same one to the end: a server that is stopped meanwhile is not another one.
        let inspection = server.inspection
        let look = SessionLook(at: id, by: name)
        inspection?.begin(look)
        return Look(end: { inspection?.end(look) }) { try await server.seen.session(look) }
      },
      riblets: {
        let inspection = server.inspection
        inspection?.beginTiming()
        return Look(end: { inspection?.endTiming() }) { try await server.seen.riblets() }
      },
      store: {
        Look {
          var report = try await server.seen.store()
          report.backup = await hooks.lastBackup()
          return report
        }
      },
      signIn: {
        Look {
          var report = try await server.seen.signIn()
          guard let keys = await hooks.keys?() else { return report }
          (report.keys, report.skippedKeys, report.keysLoaded) = (keys.keys, keys.skippedKeys, keys.keysLoaded)
          return report
        }
      },
      settings: { Look { try server.seen.settings(from: hooks.settingSource) + hooks.programSettings() } },
      log: {
        Look {
          guard let log = hooks.log else { throw InspectionError("This program does not keep the lines of its log.") }
          return LogReport(lines: log.lines, written: hooks.writtenLevel?())
        }
      },
      crashes: {
        Look {
          var reports = try await server.seen.crashes()
          reports.reports = await hooks.crashReports()
          return reports
        }
      },
      apps: server.appNames, showsState: { server.showsState }, offers: { hooks.offers($0) },
      perform: { operation, name in try await server.perform(operation, by: name, hooks) })
  }
}

extension Server {
  /// The server's inspection at this moment.
  fileprivate var seen: ServerInspection {
    get throws {
      guard let inspection else { throw InspectionError("The server does not run.") }
      return inspection
    }
  }

  /// Does something for an operator, which the audit has a line about.
  ///
  /// - Parameters:
  ///   - operation: what.
  ///   - name: the operator.
  ///   - hooks: what the program does itself.
  /// - Returns: what has become of it, in a sentence.
  /// - Throws: an error that says in a sentence why it was not done.
  fileprivate func perform(_ operation: Operation, by name: String, _ hooks: InspectorHooks) async throws -> String {
    let inspection = try seen
    // Before it is done: what makes the process die has a line as well.
    inspection.audit(name, operation.name, session: operation.session)
    switch operation {
    case .reconnect(let session, let client):
      try await inspection.reconnect(client, of: session)
      return "The server has asked the client to connect again."
    case .signOut(let session, let client):
      guard let subject = try await inspection.signOut(client, of: session) else {
        return "The server has removed the client from the session."
      }
      return "\(subject) was signed out."
    case .end(let session):
      try await inspection.end(session)
      return "The session has ended."
    case .record(let session):
      let (directory, isLeaving) = try await inspection.record(session)
      return isLeaving
        ? "The session leaves memory now. Its recording in \(directory) begins after its return."
        : "The session cannot leave memory now. Its recording in \(directory) begins after its next return."
    case .lift(let session):
      let count = try await inspection.lift(session)
      return "Activities that are no longer set aside: \(count)."
    case .unblock(let address):
      guard inspection.unblock(address) else { throw InspectionError("\(address) does not have to wait.") }
      return "\(address) may try again."
    case .backUp, .drain, .reload, .refetchKeys, .writeLog:
      guard let hook = hooks.hook(for: operation) else { throw InspectionError("This program has no such operation.") }
      return try await hook()
    }
  }
}

extension InspectorHooks {
  /// The program's closure for an operation; nil if the program has none, or if the operation is the server's to do.
  fileprivate func hook(for operation: Operation) -> (@Sendable () async throws -> String)? {
    switch operation {
    case .backUp: return backUp
    case .drain: return drain
    case .reload: return reload
    case .refetchKeys: return refetchKeys
    case .writeLog(let level):
      guard let writeLog else { return nil }
      return { try await writeLog(level.rawValue) }
    case .reconnect, .signOut, .end, .record, .lift, .unblock: return nil
    }
  }

  /// Whether operators may do something here.
  fileprivate func offers(_ operation: Operation) -> Bool {
    switch operation {
    case .backUp, .drain, .reload, .refetchKeys, .writeLog: hook(for: operation) != nil
    case .reconnect, .signOut, .end, .record, .lift, .unblock: true
    }
  }
}
