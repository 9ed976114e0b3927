import Wire
import WireHTTP

/// What a path leads to.
enum Endpoint: Equatable {
  /// Whether the process lives.
  case health
  /// Whether each of its loops comes back.
  case live
  /// Whether a load balancer is to send it clients.
  case ready
  /// What the server that an admin listener belongs to has counted.
  case metrics
  case socket
  case echo
  /// The description of the HTTP twin.
  case openAPI
  /// Where sessions are made.
  case sessions
  /// A session.
  case session(String)
  /// What a session's client does.
  case actions(String)
  /// What it sees.
  case view(String)
  /// The person behind the session's client.
  case auth(String)
  /// What it is told.
  case events(String)
  /// What several clients are told.
  case joinedEvents
  /// Which apps there are.
  case apps
  /// What an app's riblets show and take.
  case schema(app: String)
  /// A file, by its path.
  case file(String)

  /// Where it is said that the server is well.
  private static let healthPath = "/healthz"
  /// Where it is said whether the server's loops come back.
  private static let livePath = "/livez"
  /// Where it is said whether the server takes clients.
  private static let readyPath = "/readyz"
  /// What machines of the operator's ask, by whatever name they give the server.
  static let probePaths = [healthPath, livePath, readyPath]
  /// Where an admin listener has the metrics.
  private static let metricsPath = "/metrics"
  /// Where sessions are.
  static let sessionsPath = "/v1/sessions"
  /// Where the events of several clients are.
  static let joinedEventsPath = "/v1/events"
  /// Where apps are.
  static let appsPath = "/v1/apps"

  /// What a path leads to.
  ///
  /// - Parameters:
  ///   - path: the path.
  ///   - context: the server's.
  private init?(path: String, _ context: ServerContext) {
    if let endpoint = Endpoint(path: path), endpoint != .metrics || context.desk != nil {
      self = endpoint
    } else if context.files[path] != nil {
      self = .file(path)
    } else {
      return nil
    }
  }

  private init?(path: String) {
    switch path {
    case Self.healthPath: self = .health
    case Self.livePath: self = .live
    case Self.readyPath: self = .ready
    case Self.metricsPath: self = .metrics
    case "/v1/socket": self = .socket
    case "/echo": self = .echo
    case "/v1/openapi.json": self = .openAPI
    case Self.sessionsPath: self = .sessions
    case Self.joinedEventsPath: self = .joinedEvents
    case Self.appsPath: self = .apps
    case let path where path.hasPrefix(Self.appsPath + "/"):
      let parts = path.dropFirst(Self.appsPath.count + 1).split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1] == "schema", let app = Self.decoded(parts[0]),
        app.utf8.count <= longestName
      else { return nil }
      self = .schema(app: app)
    default:
      guard path.hasPrefix(Self.sessionsPath + "/") else { return nil }
      let parts = path.dropFirst(Self.sessionsPath.count + 1).split(separator: "/", omittingEmptySubsequences: false)
      guard let id = parts.first.map(String.init), 1...longestName ~= id.utf8.count, parts.count <= 2 else {
        return nil
      }
      switch parts.count == 2 ? parts[1] : "" {
      case "" where parts.count == 1: self = .session(id)
      case "actions": self = .actions(id)
      case "view": self = .view(id)
      case "events": self = .events(id)
      case "auth": self = .auth(id)
      default: return nil
      }
    }
  }

  /// A part of a path without its percent-encoding (RFC 3986 §2.1); nil if that is malformed, or no UTF-8.
  private static func decoded(_ part: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = part.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2,
        let value = Substring(digits).first?.isHexDigit == true ? UInt8(Substring(digits), radix: 16) : nil
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// What there is for a request.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - context: the server's.
  /// - Returns: the endpoint; nil if the request is about what may be asked for, at its path or, for `*`, at all.
  /// - Throws: ``HTTPError``: 501 for a method that is unknown here, 404 for a path that leads nowhere, 405 for a method
  ///   that is not for it.
  static func find(for head: RequestHead, _ context: ServerContext) throws(HTTPError) -> Endpoint? {
    guard knownMethods.contains(head.method) else {
      throw HTTPError(status: .notImplemented, reason: "There is no method \(head.method) (RFC 9110 §9.1).")
    }
    if head.path == "*" { return nil }
    guard let endpoint = Endpoint(path: head.path, context), endpoint != .echo || context.offersEcho else {
      throw HTTPError(status: .notFound, reason: "There is nothing at \(head.path).")
    }
    if head.method == "OPTIONS" { return nil }
    guard endpoint.methods.contains(head.method) else {
      let allowed = endpoint.allowed
      throw HTTPError(
        status: .methodNotAllowed, reason: "\(head.path) answers to \(allowed).", headers: ["Allow": allowed])
    }
    return endpoint
  }

  /// Whether no admin token is needed to ask for something of an admin listener: of sessions, whose clients the authenticator
  /// checks, and of files.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - context: the server's.
  /// - Returns: false for all else, also where nothing is.
  static func checksItself(_ head: RequestHead, _ context: ServerContext) -> Bool {
    switch Endpoint(path: head.path, context) {
    case .socket, .sessions, .session, .actions, .view, .auth, .events, .joinedEvents, .file: true
    case .health, .live, .ready, .metrics, .echo, .openAPI, .apps, .schema, nil: false
    }
  }

  /// The methods of RFC 9110 §9.3 and RFC 5789, but for CONNECT: no request with it is read.
  static let knownMethods: Set<String> = [  // safe text: own
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH",
  ]

  /// What it answers to, besides OPTIONS.
  private var methods: [String] {
    switch self {
    case .health, .live, .ready, .metrics, .openAPI, .view, .apps, .schema, .file: ["GET", "HEAD"]
    case .socket, .echo, .events: ["GET"]
    case .sessions, .actions, .joinedEvents: ["POST"]
    case .session: ["DELETE"]
    case .auth: ["PUT"]
    }
  }

  /// Its path, with names in braces for what varies.
  var route: String {
    switch self {
    case .health: Self.healthPath
    case .live: Self.livePath
    case .ready: Self.readyPath
    case .metrics: Self.metricsPath
    case .socket: "/v1/socket"
    case .echo: "/echo"
    case .openAPI: "/v1/openapi.json"
    case .sessions: Self.sessionsPath
    case .session: "/v1/sessions/{session}"
    case .actions: "/v1/sessions/{session}/actions"
    case .view: "/v1/sessions/{session}/view"
    case .auth: "/v1/sessions/{session}/auth"
    case .events: "/v1/sessions/{session}/events"
    case .joinedEvents: Self.joinedEventsPath
    case .apps: Self.appsPath
    case .schema: "/v1/apps/{app}/schema"
    case .file: "/{file}"
    }
  }

  /// Whether it is about the server itself, and is answered also while the server goes down.
  var isProbe: Bool { self == .health || self == .live || self == .ready }

  /// Whether an answer takes more than to send what is there: it is refused to a place that has used up its budget.
  var isOfSessions: Bool {
    switch self {
    case .sessions, .session, .actions, .view, .auth, .events, .joinedEvents, .schema: true
    case .health, .live, .ready, .metrics, .socket, .echo, .openAPI, .apps, .file: false
    }
  }

  /// Whether it ends a session.
  var isEnd: Bool { if case .session = self { true } else { false } }

  /// As the Allow field has it.
  private var allowed: String { (methods + ["OPTIONS"]).joined(separator: ", ") }

  /// What may be asked for at a path, as the Allow field has it (RFC 9110 §9.3.7).
  ///
  /// - Parameters:
  ///   - path: the path.
  ///   - context: the server's.
  /// - Returns: the methods; all that there are where nothing is, or for `*`.
  static func allowed(at path: String, _ context: ServerContext) -> String {
    Endpoint(path: path, context)?.allowed ?? "GET, HEAD, POST, PUT, DELETE, OPTIONS"
  }
}
