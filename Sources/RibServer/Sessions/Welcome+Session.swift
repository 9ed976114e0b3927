import Wire

extension Welcome {
  /// What a client is told first, whether its session is in memory or rests.
  ///
  /// - Parameters:
  ///   - sessionID: the session.
  ///   - client: what is kept of the client.
  ///   - nacks: its refusals that it has not acknowledged.
  ///   - token: what it proves itself with.
  ///   - epoch: the life of the tree.
  ///   - revision: of the view.
  ///   - resumed: whether the client was here before.
  ///   - durability: what answers survive.
  ///   - context: the server's.
  ///   - settings: those that the loop goes by.
  ///   - limits: those of the client's connection; nil if it has none, and goes by the settings.
  ///   - identityExpires: milliseconds until the client's identity expires; nil for never.
  init(
    to sessionID: String, _ client: ClientRecord, nacks: [Nack], token: String, epoch: String, revision: Int,
    resumed: Bool, durability: Durability, _ context: ServerContext, _ settings: ServerSettings, limits: Limits?,
    identityExpires: Int?
  ) {
    self.init(
      sessionID: sessionID, clientID: client.id, token: token, epoch: epoch, revision: revision, number: client.number,
      nacks: nacks, nacksOmitted: client.omitted?.count ?? 0, resumed: resumed, durability: durability,
      build: Server.version,
      timeToLive: settings.sessions.timeToLiveSeconds * 1000,
      heartbeat: settings.timeouts.heartbeatSeconds * 1000, limits: limits ?? settings.limits.announced,
      scope: client.scope,
      features: context.authentications == nil ? [] : [.auth], identityExpires: identityExpires)
  }

  /// What a client is told that comes back with all of its view to a session that rests.
  ///
  /// - Parameters:
  ///   - session: the session.
  ///   - resume: what the client has said.
  ///   - durability: what answers survive.
  ///   - context: the server's.
  ///   - settings: as above.
  ///   - limits: as above.
  ///   - identityExpires: as above.
  init(
    to session: RestingSession, _ resume: ClientMessage.Resume, durability: Durability, _ context: ServerContext,
    _ settings: ServerSettings, limits: Limits, identityExpires: Int?
  ) {
    self.init(
      to: session.identity.id, session.client, nacks: session.nacks, token: resume.token, epoch: resume.epoch,
      revision: session.state.revision, resumed: true, durability: durability, context, settings,
      limits: limits, identityExpires: identityExpires)
  }
}
