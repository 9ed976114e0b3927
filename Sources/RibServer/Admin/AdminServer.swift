public import Logging
public import ServiceLifecycle
import WireHTTP

/// A server beside another one in the same process, for those who operate it.
///
/// The admin server shows the metrics of the other server at `/metrics`, in the text format of Prometheus, and at `/livez` and `/readyz` whether the other
/// server is well, with details. Each request has to show an admin token in `Authorization: Bearer`: a page in a browser, or another user of the
/// machine, reaches a local address as well. It may host riblet apps for operators, whose clients show the token as their credential, and files,
/// for which none is needed.
///
/// In a `ServiceGroup` it stands before the server that it shows, so that it can be asked until that server has stopped.
public final class AdminServer: Service {
  /// The token that was made, as the settings name no file of tokens; it is good for everything.
  ///
  /// Show it to whoever has started the program, and write it to no log.
  public let madeToken: String?
  private let server: Server
  private let desk: AdminDesk
  /// Samples the shown server, so that its charts have a history when an operator looks at them for the first time.
  private let history: Ticker<Void>

  /// An admin server that is not started.
  ///
  /// - Parameters:
  ///   - shown: the server that it shows; its settings say where this one listens, and who may look.
  ///   - apps: riblet apps for operators, such as the inspector of `RibInspector`: clients show an admin token as their credential. A session's
  ///     person is the operator, by the token's name, with the roles `look` and, if the token is good for that, `operate`; an app without an access
  ///     of its own is for all of them.
  ///   - files: what is handed out beside the admin server's own endpoints, to anyone who reaches it: pages without secrets.
  ///   - tokens: the tokens, if they do not come from `admin.tokenFile`; nil for those of the file or, without one, for one that is made.
  ///   - logger: where it writes.
  ///   - onListening: called once connections are accepted.
  /// - Throws: ``AdminTokensError`` or ``SystemError`` if the file of tokens cannot be read; ``SettingsError`` if `admin.listen` is an address
  ///   that other machines reach, and there is no file.
  public init(
    of shown: Server, apps: [App] = [], files: StaticFiles = StaticFiles(), tokens: AdminTokens? = nil,
    logger: Logger = Logger(label: "ribserver.admin"),
    onListening: @escaping @Sendable (Server.URLAddress) -> Void = { _ in }
  ) throws {
    let (settings, environment) = (shown.context.settings, shown.context.environment)
    let address = settings.admin.address
    var made: String?
    let known: AdminTokens
    if let tokens {
      known = tokens
    } else if !settings.admin.tokenFile.isEmpty {
      known = try AdminTokens(file: settings.admin.tokenFile)
    } else {
      if let fault = settings.admin.fault { throw fault }
      let token = environment.makeToken()
      made = token
      known = AdminTokens(token: token)
    }
    madeToken = made
    var own = ServerSettings(host: address.host, port: address.port)
    own.socket = settings.admin.socket
    own.loops = 1
    own.store = .memory
    own.limits.connections = 256
    own.limits.memoryPercent = 0
    own.proxies.trusted = []
    // It would end the process while the loops that count are well.
    own.timeouts.watchdogSeconds = 0
    own.sessions.restSeconds = 10
    own.sessions.timeToLiveSeconds = 3600
    own.auth.recheckSeconds = 60
    desk = AdminDesk(shown, known)
    history = desk.keepHistory(every: 5_000_000_000)
    server = Server(
      apps: apps.map { $0.limited(to: AdminAuthenticator.access) }, files: files, settings: own,
      authenticator: AdminAuthenticator(desk: desk), logger: logger, environment: environment, desk: desk,
      onListening: onListening)
  }

  /// Serves until the task is cancelled or the service group shuts down.
  ///
  /// - Throws: ``SystemError`` if the address cannot be bound.
  public func run() async throws {
    defer { history.cancel() }
    try await server.run()
  }

  /// Begins to accept connections.
  ///
  /// - Returns: where.
  /// - Throws: ``SystemError`` if the address cannot be bound.
  public func start() throws -> Server.URLAddress { try server.start() }

  /// Lets other tokens in from the next request on, and those from before no longer.
  ///
  /// Thread-safe.
  ///
  /// - Parameter tokens: the tokens.
  public func replace(_ tokens: AdminTokens) { desk.replace(tokens) }

  /// Stops; the server that was shown goes on.
  public func stop() async {
    history.cancel()
    await server.stop()
  }
}

extension ServerSettings.Admin {
  /// The fault of a listener that other machines reach, and that has no file of tokens; nil if there is none.
  package var fault: SettingsError? {
    guard tokenFile.isEmpty, socket != nil || !listen.isEmpty else { return nil }
    guard socket.map(ListeningSocket.isLocal) ?? address.isLocal else {
      return SettingsError(
        key: "admin.listen", value: "\"\(listen)\"",
        wanted: "an address of this machine alone, unless admin.tokenFile names who may look")
    }
    return nil
  }

  /// The host, or `unix:` and the path of a socket, and the port.
  var address: (host: String, port: Int, isLocal: Bool) {
    if listen.hasPrefix(ListeningSocket.unixPrefix) { return (listen, 0, true) }
    guard let authority = Authority(listen), let port = authority.port else { return (listen, 0, false) }
    let host = authority.host.description
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return (name, port, name == "localhost" || IPAddress(text: name)?.isLoopback == true)
  }
}
