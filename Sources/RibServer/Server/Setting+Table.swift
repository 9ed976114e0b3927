extension Setting {
  private static let size = 1...Int(UInt32.max)
  private static let limit = 0...Int(UInt32.max)
  private static let seconds = 1...86_400

  /// All settings of a server, in the order of the help.
  ///
  /// 0 turns a limit off only where a server without it is a sane one: behind a proxy that has limits of its own, or on a
  /// developer's machine. What bounds the memory that one peer costs cannot be turned off.
  package static let all: [Setting] = server + front + limits + compression + sessions + timeouts

  private static let server: [Setting] = [
    Setting("host", .text(\.host, .any("address")), "The address to listen on, or unix: and the path of a socket."),
    Setting("port", .number(\.port, 0...65_535), "The port to listen on; 0 picks a free one."),
    Setting("loops", .number(\.loops, 0...1024), "Threads that serve connections; 0 for one a core."),
    Setting(
      "lingerMilliseconds", .number(\.lingerMilliseconds, 0...100),
      "How long a thread waits for more after it had something to do; 0 for not at all."),
    Setting("usesEpoll", .bool(\.usesEpoll), "Whether to watch all connections of a thread with one epoll set."),
    Setting(
      "usesCompression", .bool(\.usesCompression), "Whether messages are compressed with clients that offer it."),
    Setting("echo", .flag(\.echo), "Send back every message on the WebSocket /echo, for conformance suites."),
    Setting("store", .word(WordPath(\.store)), "Where sessions are kept: in memory they end with the server."),
    Setting(
      "storeURL", .text(\.storeURL, .any("url", example: "postgresql://ribs@db/ribs")),
      "Where the database is, for a store in PostgreSQL.", isSecret: true),
    Setting(
      "nodeListen", .text(\.nodeListen, .hostAndPort),
      "Where other nodes with the same database reach this one, in a network of their own; port 0 picks a free one."),
    Setting(
      "nodeAdvertise", .text(\.nodeAdvertise, .hostAndPort),
      "The same as the others see it.", preset: "nodeListen, with the port that was picked"),
    Setting("stateDir", .text(\.stateDirectory, .any("directory")), "Where what outlives the server is."),
    Setting(
      "restored", .flag(\.isRestored),
      "The store was put back from a copy: its sessions' clients may have seen more, and get the whole view."),
    Setting(
      "durability", .word(WordPath(\.durability)),
      "What an answer survives: disk, a power cut, or process, the server's end."),
    Setting(
      "record", .text(\.recordDirectory, .any("directory")),
      "Where each session is recorded, to be replayed as a test: with all that was said in it."),
    Setting(
      "recordings.keepDays", .number(\.recordings.keepDays, 0...36_500),
      "Days after which a recording is removed; 0 for never."),
    Setting(
      "recordings.totalMegabytes", .number(\.recordings.totalMegabytes, limit),
      "Megabytes of all recordings above which the oldest are removed; 0 for any number."),
  ]

  private static let front: [Setting] = [
    Setting(
      "publicURL", .text(\.publicURL, .origin),
      "Where browsers see the server: its pages may talk to it, and it answers for its host."),
    Setting(
      "origins", .list(\.origins, .originPattern),
      "Other sites whose pages may talk to the server; null for pages without an origin, * for all."),
    Setting(
      "hosts", .list(\.hosts, .hostPattern),
      "Names in the Host field that the server answers for; * for any.",
      preset: "this machine's own if it listens there; else any, unless there is a publicURL"),
    Setting(
      "cors.maxAgeSeconds", .number(\.cors.maxAgeSeconds, 0...86_400),
      "Seconds that a browser need not ask again what a page may do; 0 for each time."),
    Setting(
      "proxies.trusted", .list(\.proxies.trusted, .proxy),
      "Addresses and networks of proxies that are believed whom they speak for; loopback for this machine's, unix for its sockets."
    ),
    Setting(
      "proxies.field", .word(WordPath(\.proxies.field)),
      "The header field in which they say it; the other is not looked at."),
    Setting(
      "proxies.protocol", .word(WordPath(\.proxies.protocol)),
      "Whether each connection begins with a header of the PROXY protocol: then only trusted proxies may connect."),
    Setting(
      "auth.graceSeconds", .number(\.auth.graceSeconds, 0...3600),
      "Seconds that a client has to show a credential anew when its identity has ended; 0 for none."),
    Setting(
      "auth.recheckSeconds", .number(\.auth.recheckSeconds, 0...86_400),
      "Seconds after which a program's own authenticator is asked again whether somebody is let in; 0 for never."),
    Setting(
      "auth.cookie", .text(\.auth.cookie, .cookieName), "The cookie that is a credential."),
    Setting(
      "admin.listen", .text(\.admin.listen, .listenAddress),
      "Where operators and their tools see the metrics, and whether the server is well."),
    Setting(
      "admin.tokenFile", .text(\.admin.tokenFile, .any("file")),
      "A file with the tokens that let them in, a line each: NAME:ROLE:SHA-256, and ROLE look or operate.",
      preset: "a token is made with each start"),
    Setting(
      "admin.showsState", .bool(\.admin.showsState),
      "Whether operators see what is in sessions: the view and the states; each look is a line of the audit."),
  ]

  private static let limits: [Setting] = [
    Setting("limits.messageBytes", .number(\.limits.messageBytes, size), "Bytes of a message."),
    Setting(
      "limits.actionsPerSecond", .number(\.limits.actionsPerSecond, limit),
      "Actions a second that a client may send in the long run, with messages and loop time in proportion; 0 for none of these limits."
    ),
    Setting("limits.actionBurst", .number(\.limits.actionBurst, size), "Actions that a client may send at once."),
    Setting(
      "limits.paramsBytes", .number(\.limits.paramsBytes, size), "Bytes of the params that a session is begun with."),
    Setting(
      "limits.writeQueueBytes", .number(\.limits.writeQueueBytes, size),
      "Bytes that may wait for a client that does not read."),
    Setting(
      "limits.bodyBytes", .number(\.limits.bodyBytes, size),
      "Bytes of the longest body that is skipped, as no endpoint reads it; at least those of a message, which bound every other body."
    ),
    Setting(
      "limits.connections", .number(\.limits.connections, size), "Connections at a time; one more is answered 503."),
    Setting(
      "limits.connectionsPerAddress", .number(\.limits.connectionsPerAddress, limit),
      "Connections at a time from one address; 0 for no limit, of new ones a second neither."),
    Setting(
      "limits.newSessionsPerMinute", .number(\.limits.newSessionsPerMinute, limit),
      "Sessions that may be begun a minute from one address, and by one person; 0 for any number."),
    Setting(
      "limits.failedSignInsPerMinute", .number(\.limits.failedSignInsPerMinute, limit),
      "Credentials from one address that may be found wrong a minute, before none is looked at; 0 for any number."),
    Setting(
      "limits.sessionsPerAddress", .number(\.limits.sessionsPerAddress, limit),
      "Sessions of one address that a store on disk keeps; 0 for any number."),
    Setting(
      "limits.sessionsPerIdentity", .number(\.limits.sessionsPerIdentity, limit),
      "The same of one person; 0 for any number."),
    Setting(
      "limits.connectionsPerIdentity", .number(\.limits.connectionsPerIdentity, limit),
      "Connections at a time of one person; 0 for no limit."),
    Setting(
      "limits.sessions", .number(\.limits.sessions, size), "Sessions at a time, with a connection or without."),
    Setting(
      "limits.memoryMegabytes", .number(\.limits.memoryMegabytes, limit),
      "Megabytes of memory above which idle sessions leave it, and none are added; 0 for the percentage below."),
    Setting(
      "limits.memoryPercent", .number(\.limits.memoryPercent, 0...100),
      "The same as a share of what the control group, or the machine, has; 0 for no ceiling."),
  ]

  private static let compression: [Setting] = [
    Setting(
      "compression.keepsContext", .bool(\.compression.keepsContext),
      "Whether a compressed message may refer to earlier ones."),
    Setting(
      "compression.windowBits", .number(\.compression.windowBits, 9...15),
      "How far back it refers, as the binary logarithm of bytes."),
    Setting(
      "compression.thresholdBytes", .number(\.compression.thresholdBytes, limit),
      "Bytes from which a message is compressed; 0 for every one."),
  ]

  private static let sessions: [Setting] = [
    Setting(
      "sessions.timeToLiveSeconds", .number(\.sessions.timeToLiveSeconds, limit),
      "Seconds that a session waits for its client to come back; 0 for not at all."),
    Setting(
      "sessions.untouchedSeconds", .number(\.sessions.untouchedSeconds, limit),
      "Seconds at most that it waits for a client that has not acted; 0 for not at all."),
    Setting(
      "sessions.restSeconds", .number(\.sessions.restSeconds, limit),
      "Seconds that it stays in memory meanwhile; 0 for not at all."),
    Setting(
      "sessions.idleRestSeconds", .number(\.sessions.idleRestSeconds, limit),
      "Seconds without any action after which a session with a client leaves memory; 0 for at once."),
  ]

  private static let timeouts: [Setting] = [
    Setting(
      "timeouts.handshakeSeconds", .number(\.timeouts.handshakeSeconds, seconds),
      "Seconds from a connection, or a request's first byte, to its whole head, and to hello."),
    Setting(
      "timeouts.bodySeconds", .number(\.timeouts.bodySeconds, seconds),
      "Seconds from a request's head to the end of its body; a client that takes less than 4 KiB of its answer in that time is cut off."
    ),
    Setting(
      "timeouts.idleSeconds", .number(\.timeouts.idleSeconds, seconds),
      "Seconds from an answer to the next request."),
    Setting(
      "timeouts.heartbeatSeconds", .number(\.timeouts.heartbeatSeconds, seconds),
      "Seconds of silence after which client and server send a ping."),
    Setting(
      "timeouts.closingSeconds", .number(\.timeouts.closingSeconds, seconds),
      "Seconds that a client has to close after the server's last word."),
    Setting(
      "timeouts.drainSeconds", .number(\.timeouts.drainSeconds, 0...86_400),
      "Seconds that clients have to go elsewhere when the server stops; 0 for none."),
    Setting(
      "timeouts.storeSeconds", .number(\.timeouts.storeSeconds, seconds),
      "Seconds that the store may take for a commit when the server stops, before it ends without."),
    Setting(
      "timeouts.authenticationSeconds", .number(\.timeouts.authenticationSeconds, seconds),
      "Seconds that the authenticator may take to say who a client is."),
    Setting(
      "timeouts.watchdogSeconds", .number(\.timeouts.watchdogSeconds, 0...86_400),
      "Seconds that a reducer may take before the process ends, to be started anew; 0 for any number."),
  ]
}
