extension Setting {
  /// The settings that a running server takes over when they are reloaded.
  package static let live: Set<String> = [
    "logLevel", "logFormat", "admin.showsState", "publicURL", "origins", "hosts", "cors.maxAgeSeconds",
    "proxies.trusted", "proxies.field", "proxies.protocol",
    "auth.graceSeconds", "auth.recheckSeconds", "auth.cookie", "auth.required", "auth.issuer", "auth.audience",
    "auth.keysURL", "auth.keysFile", "auth.secretFile", "auth.previousSecretFile", "auth.previousSecretUntil",
    "auth.caFile", "auth.algorithms", "auth.types", "auth.claims", "auth.rolesClaim", "auth.leewaySeconds",
    "auth.maxLifetimeSeconds", "auth.keysRefreshSeconds", "auth.keysCooldownSeconds", "auth.keysMaxStaleSeconds",
    "auth.keysTimeoutSeconds",
    "admin.tokenFile",
    "limits.messageBytes", "limits.actionsPerSecond", "limits.actionBurst", "limits.paramsBytes",
    "limits.writeQueueBytes", "limits.bodyBytes", "limits.connections", "limits.connectionsPerAddress",
    "limits.newSessionsPerMinute", "limits.failedSignInsPerMinute", "limits.sessionsPerAddress",
    "limits.sessionsPerIdentity", "limits.connectionsPerIdentity", "limits.sessions", "limits.memoryMegabytes",
    "limits.memoryPercent",
    "sessions.timeToLiveSeconds", "sessions.untouchedSeconds", "sessions.restSeconds", "sessions.idleRestSeconds",
    "timeouts.handshakeSeconds", "timeouts.bodySeconds", "timeouts.idleSeconds", "timeouts.heartbeatSeconds",
    "timeouts.closingSeconds", "timeouts.drainSeconds", "timeouts.storeSeconds", "timeouts.authenticationSeconds",
    "timeouts.watchdogSeconds",
  ]

  /// The settings that a server keeps as it was started with them: sockets, threads, the store, and what connections have agreed on.
  package static let fixed: Set<String> = [
    "config", "web", "logSubjects", "recordings.keepDays", "recordings.totalMegabytes", "host", "port", "loops",
    "lingerMilliseconds", "usesEpoll", "usesCompression", "echo", "store",
    "storeURL", "nodeListen", "nodeAdvertise", "stateDir", "restored", "durability", "record", "auth.mode",
    "admin.listen", "compression.keepsContext", "compression.windowBits", "compression.thresholdBytes",
  ]

  /// Whether a running server takes it over when it is reloaded; otherwise the server needs a restart.
  package var isLive: Bool { Self.live.contains(key) }

  /// Copies its value from settings into others.
  func copy(from source: ServerSettings, into target: inout ServerSettings) {
    switch kind {
    case .number(let path, _): target[keyPath: path] = source[keyPath: path]
    case .bool(let path), .flag(let path): target[keyPath: path] = source[keyPath: path]
    case .text(let path, _): target[keyPath: path] = source[keyPath: path]
    case .list(let path, _): target[keyPath: path] = source[keyPath: path]
    case .word(let path): _ = path.set(&target, path.get(source))
    case .program: break
    }
  }
}

extension ServerSettings {
  /// Takes over from other settings what a running server can.
  ///
  /// - Parameter new: the other settings.
  /// - Returns: the names of settings that differ, and need a restart.
  mutating func takeOver(_ new: ServerSettings) -> [String] {
    var waiting: [String] = []
    for setting in Setting.all {
      if setting.key == "admin.tokenFile", new.admin.tokenFile.isEmpty, !admin.tokenFile.isEmpty {
        // A token is made at the start alone, and shown to whoever starts the server.
        waiting.append(setting.key)
      } else if setting.isLive {
        setting.copy(from: new, into: &self)
      } else if setting.fullValue(in: self) != setting.fullValue(in: new) {
        waiting.append(setting.key)
      }
    }
    return waiting
  }
}
