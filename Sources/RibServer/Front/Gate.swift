import Logging
import WireHTTP

/// The server's front door: for which hosts it answers, which pages may talk to it, and whom proxies speak for.
struct Gate: Sendable {
  /// A gate's finding about a request.
  struct Visit {
    /// The client, as trusted proxies name it.
    var caller: Caller
    /// The origin whose pages may read the answer; nil if it needs no leave, or has none.
    var origin: String?
    /// Why it is not answered; nil if it is.
    var refusal: HTTPError?
  }

  private let hosts: HostPolicy
  private let origins: OriginPolicy
  /// Whom proxies speak for.
  let proxies: ProxyPolicy
  private let maxAge: Int
  /// Whether a cookie is a credential: pages of the listed origins may then send requests with cookies.
  private let takesCookies: Bool
  private let refusals: RefusalLog

  /// The gate of settings.
  ///
  /// - Parameters:
  ///   - settings: the server's.
  ///   - address: where it listens.
  ///   - refusals: where refusals are told.
  init(_ settings: ServerSettings, listeningAt address: String, _ refusals: RefusalLog) {
    hosts = HostPolicy(settings, listeningAt: address)
    origins = OriginPolicy(settings)
    proxies = ProxyPolicy(settings)
    maxAge = settings.cors.maxAgeSeconds
    takesCookies = !settings.auth.cookie.isEmpty
    self.refusals = refusals
  }

  /// Whether a connection is taken: where each is to begin with a header of the PROXY protocol, a proxy's.
  ///
  /// - Parameter peer: who it is from.
  /// - Returns: false if it is to be closed without a word.
  func admits(_ peer: Caller) -> Bool {
    guard proxies.needsHeader, !proxies.trusts(peer) else { return true }
    let name = peer.address?.description ?? "unix"
    refusals.note(
      .proxy, "A connection was refused that is not from a trusted proxy.", name,
      ["address": "\(name)", "fix": "if it is a proxy of yours, add \(name) to proxies.trusted"])
    return false
  }

  /// Takes note that a place has as many connections as it may have.
  ///
  /// - Parameter caller: whose connection is one too many.
  func noteFullPlace(of caller: Caller) {
    note(
      .connections, "An address has as many connections as it may have, or opens them too fast.", caller,
      "limits.connectionsPerAddress")
  }

  /// Takes note that a place has begun as many sessions as it may.
  ///
  /// - Parameter caller: whose session is one too many.
  func noteSpentPlace(of caller: Caller) {
    note(.sessions, "An address has begun as many sessions as it may.", caller, "limits.newSessionsPerMinute")
  }

  /// Takes note that a credential was refused.
  ///
  /// - Parameters:
  ///   - address: the client's address.
  ///   - reason: why it was refused, in a sentence that reveals nothing of the credential.
  func noteRefusedCredential(of address: String, _ reason: String) {
    refusals.note(
      .credentials, "A credential was refused.", "\(address) \(reason)",
      ["address": "\(address)", "reason": "\(reason.forLog)"])
  }

  /// Takes note that the authenticator cannot check credentials.
  ///
  /// - Parameter reason: why it cannot.
  func noteUnavailable(_ reason: String) {
    refusals.note(.authenticator, "The authenticator cannot check credentials.", reason, ["reason": "\(reason)"])
  }

  private func note(_ kind: RefusalLog.Kind, _ message: Logger.Message, _ caller: Caller, _ setting: String) {
    let name = caller.address?.description ?? ""
    refusals.note(
      kind, message, name,
      [
        "address": "\(name)",
        "fix": "raise \(setting) or, if it is a proxy of yours, add \(name) to proxies.trusted",
      ])
  }

  /// Looks at a request.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - peer: who its connection is from.
  ///   - isRelayed: whether it comes by another node, which has let it in.
  /// - Returns: what is to be known of it.
  func visit(_ head: RequestHead, from peer: Caller, isRelayed: Bool = false) -> Visit {
    guard !isRelayed else {
      var visit = Visit(caller: peer)
      if case .listed(let origin) = origins.judge(head, scheme: nil) { visit.origin = origin }
      return visit
    }
    let (caller, scheme) = proxies.client(of: head, peer)
    if !proxies.needsHeader, let address = peer.address, proxies.isForwarded(head, peer) {
      refusals.note(
        .proxy, "Whom somebody speaks for is not believed.", "\(address)",
        ["address": "\(address)", "fix": "if it is a proxy of yours, add \(address) to proxies.trusted"])
    }
    var visit = Visit(caller: caller)
    let verdict = origins.judge(head, scheme: scheme)
    if case .listed(let origin) = verdict { visit.origin = origin }
    visit.refusal = refusal(of: head) ?? (isReading(head) ? nil : refusal(of: head, verdict))
    return visit
  }

  /// Whether a request only reads what a page of another origin cannot see anyway.
  private func isReading(_ head: RequestHead) -> Bool {
    (head.method == "GET" || head.method == "HEAD") && !head.headers.contains(token: "websocket", in: "Upgrade")
  }

  private func refusal(of head: RequestHead) -> HTTPError? {
    // Who looks whether the server is well asks for an address, or for whatever name it has given it.
    guard !hosts.answers(to: head), !Endpoint.probePaths.contains(head.path) else { return nil }
    let host = head.headers["Host"] ?? ""
    let fix = "set publicURL to where browsers see the server, or add the host to hosts"
    refusals.note(.host, "A host was refused.", host, ["host": "\(host.forLog)", "fix": "\(fix)"])
    return HTTPError(
      status: .misdirectedRequest, reason: "This server does not answer for the host \"\(host)\". If it should: \(fix)."
    )
  }

  private func refusal(of head: RequestHead, _ verdict: OriginPolicy.Verdict) -> HTTPError? {
    let origin: String
    switch verdict {
    case .own, .listed: return nil
    case .malformed:
      return HTTPError(status: .badRequest, reason: "Origin is to be one field with one origin (RFC 6454 §7).")
    case .crossSite: origin = "another site"
    case .foreign(let name): origin = name
    }
    let host = head.headers["Host"] ?? ""
    // What the client has written is shown as it is only where it can be an origin.
    let fix =
      if WebOrigin.isOpaque(origin) {
        "add null to origins, which lets in every page from a file or in a sandbox"
      } else if WebOrigin(origin) == nil {
        "have the page served from an origin that is in origins"
      } else {
        "set publicURL to \(origin), or add it to origins"
      }
    refusals.note(
      .origin, "An origin was refused.", origin,
      ["origin": "\(origin.forLog)", "host": "\(host.forLog)", "fix": "\(fix.forLog)"])
    return HTTPError(
      status: .forbidden, reason: "Pages of \(origin) may not talk to this server. If they should: \(fix).")
  }

  // MARK: CORS

  /// Adds to an answer that pages of its request's origin may read it (Fetch §3.2).
  ///
  /// - Parameters:
  ///   - headers: the answer's.
  ///   - visit: of its request; nil if there is none.
  func allowReading(_ headers: inout HeaderFields, _ visit: Visit?) {
    guard origins.dependsOnOrigin else { return }
    headers.append(name: "Vary", value: "Origin")
    guard let origin = visit?.origin else { return }
    headers.append(name: "Access-Control-Allow-Origin", value: origin)
    headers.append(name: "Access-Control-Expose-Headers", value: "ETag, Location, Retry-After, WWW-Authenticate")
    if takesCookies { headers.append(name: "Access-Control-Allow-Credentials", value: "true") }
  }

  /// Answers a browser that asks what a page may do, before the page does it.
  ///
  /// - Parameter methods: what the path answers to.
  /// - Returns: the response.
  func preflight(_ methods: String) -> Response {
    Response(
      status: .noContent,
      headers: [
        "Allow": methods, "Vary": "Access-Control-Request-Method, Access-Control-Request-Headers",
        "Access-Control-Allow-Methods": methods,
        "Access-Control-Allow-Headers":
          "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Riblet-Features, Riblet-Token, Riblet-Try",
        "Access-Control-Max-Age": "\(maxAge)",
      ])
  }
}

extension RequestHead {
  /// Whether a browser asks what a page may do, before the page does it (Fetch §4.8).
  var isPreflight: Bool {
    method == "OPTIONS" && headers["Origin"] != nil && headers["Access-Control-Request-Method"] != nil
  }
}
