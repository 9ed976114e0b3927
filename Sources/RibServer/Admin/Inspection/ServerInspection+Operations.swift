import Logging

// The operations of an operator on a running server.

extension ServerInspection {
  /// Writes a line of the audit.
  ///
  /// - Parameters:
  ///   - name: the operator.
  ///   - what: what the operator does.
  ///   - session: the session that it is about; nil for none.
  package func audit(_ name: String, _ what: String, session: String?) {
    var metadata: Logger.Metadata = ["audit": "true", "who": "\(name)", "what": "\(what)"]
    if let session { metadata["session"] = "\(session)" }
    context.logger.notice("An operator acts.", metadata: metadata)
  }

  /// Asks a client to connect again; nothing is lost.
  ///
  /// - Parameters:
  ///   - client: the client's number.
  ///   - id: the session's name.
  /// - Throws: ``InspectionError`` if the client is not connected to a session in memory here.
  package func reconnect(_ client: Int, of id: String) async throws {
    guard let wasConnected = try await askSession(id, { $0.askToReconnect(client) }) else { throw Self.isElsewhere }
    guard wasConnected else { throw InspectionError("The client is not connected.") }
  }

  /// Signs out the person behind a client, everywhere; a client that nobody has signed in to is put out of its session.
  ///
  /// - Parameters:
  ///   - client: the client's number.
  ///   - id: the session's name.
  /// - Returns: the person's subject; nil for nobody.
  /// - Throws: ``InspectionError`` if the session is not in memory here, or has no such client; ``StoreError`` if the store cannot keep it.
  package func signOut(_ client: Int, of id: String) async throws -> String? {
    enum Behind: Sendable { case person(PersonID), nobody, noClient }
    let behind = try await askSession(id) { core -> Behind in
      guard core.audience.has(client) else { return .noClient }
      if let person = core.audience[client].ledger.record.person { return .person(PersonID(person.identity)) }
      return core.expel(client) ? .nobody : .noClient
    }
    switch behind {
    case .person(let person)?:
      guard let signOuts = context.signOuts else { throw InspectionError("The server does not run.") }
      try await signOuts.signOut(person)
      return person.subject
    case .nobody?: return nil
    case .noClient?: throw InspectionError("The session has no client \(client).")
    case nil: throw Self.isElsewhere
    }
  }

  /// Ends a session, wherever it is.
  ///
  /// - Parameter id: the session's name.
  /// - Throws: ``InspectionError`` if there is no such session; ``StoreError`` if the store fails.
  package func end(_ id: String) async throws {
    let wasThere = try await withCheckedThrowingContinuation { [context, loop = loops[0]] continuation in
      loop.execute {
        SessionDismissal(context: context, loop: loop).end(id) { continuation.resume(with: $0) }
      }
    }
    guard wasThere else { throw InspectionError("There is no such session.") }
  }

  /// Has a session recorded from its next return to memory on, for a day, and asks it to leave memory.
  ///
  /// - Parameter id: the session's name.
  /// - Returns: the directory that the recording is in, and whether the session leaves memory now.
  /// - Throws: ``InspectionError`` if the session is not in memory here; ``StoreError`` if the directory cannot be made, or if too many sessions
  ///   are recorded.
  package func record(_ id: String) async throws -> (directory: String, isLeaving: Bool) {
    // A session that is not here would be marked in vain.
    guard try await askSession(id, { _ in true }) != nil else { throw Self.isElsewhere }
    let directory = try await away { [context] in try context.recordOnDemand(id) }
    let isLeaving = try await askSession(id) { core in
      core.rest()
      return core.life.isResting
    }
    // One that is not here any more has left meanwhile.
    return (directory, isLeaving ?? true)
  }

  /// Runs again what processes have died of.
  ///
  /// - Parameter id: of which session.
  /// - Returns: how much that is.
  /// - Throws: ``StoreError`` if the store fails; ``InspectionError`` if nothing is set aside.
  package func lift(_ id: String) async throws -> Int {
    var count = try await askSession(id, { $0.liftPoison() }) ?? 0
    if count == 0 { count = try await withStateDirectory { try $0.lift(session: id) } ?? 0 }
    guard count > 0 else { throw InspectionError("Nothing of this session is set aside.") }
    return count
  }

  private static let isElsewhere = InspectionError("The session is not in memory here.")
}
