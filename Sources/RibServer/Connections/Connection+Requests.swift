import Logging
import Synchronization
import Wire
import WireHTTP

extension Connection {
  /// Reads the next request, or more of it, and answers it.
  ///
  /// - Returns: whether there may be another one in what was received.
  func processRequest(_ exchange: HTTPExchange) -> Bool {
    guard exchange.phase != .answer else { return false }
    var mayGoOn = false
    charging(exchange) { mayGoOn = readRequest(exchange) }
    return mayGoOn
  }

  private func readRequest(_ exchange: HTTPExchange) -> Bool {
    do throws(HTTPError) {
      if exchange.awaitsProxyHeader {
        guard let header = try ProxyHeader.next(from: &input) else { return false }
        exchange.awaitsProxyHeader = false
        caller = Caller(behind: caller, header.source)
        // A source that is a trusted proxy itself names the client with each request.
        if !rules.gate.proxies.trusts(caller) { try count(to: caller) }
      }
      if exchange.request == nil {
        exchange.visit = nil
        exchange.trace = nil
        (exchange.waited, exchange.refusalDelay) = (0, nil)
        guard let head = try exchange.requests.nextHead(from: &input) else {
          // One byte may be half of an empty line behind the body.
          if exchange.phase == .idle, input.count > 1 { begin(.head, of: exchange) }
          return false
        }
        loop.work.begin(.head)
        exchange.request = head
        exchange.start = loop.now
        exchange.route = ""
        exchange.visit = rules.gate.visit(head, from: caller, isRelayed: relayingNode != nil)
        exchange.trace = RequestTrace.find(in: head.headers, context.tracer)
        begin(.body, of: exchange)
        // A client that has sent the body already need not be told.
        if head.expectsContinue, input.isEmpty {
          // A token of the admin listener is judged once the body is there: a wrong one waits.
          if context.desk == nil { _ = try find(head, exchange) }
          Response(status: .continue).write(into: &output.bytes, keepAlive: true, omitBody: true)
        }
      }
      guard let head = exchange.request, let body = try exchange.requests.nextBody(from: &input) else { return false }
      exchange.request = nil
      // Unless the answer says otherwise.
      begin(.idle, of: exchange)
      // The price of the request covers it.
      exchange.timeUsed = 0
      loop.work.begin(.body)
      answer(head, body, exchange)
      // Only pipelined requests count: a client that waits for each answer, as a proxy does for many, slows itself down.
      if !input.isEmpty, !isShared, case .http = state { noteMessages(1, bytes: 0) }
    } catch {
      if countRefusal(error, isMalformed: true) { note(.protocol) }
      // Where the next request begins is not known.
      refuse(error, keepAlive: false, exchange.request)
    }
    return true
  }

  /// The description of the HTTP twin.
  private static let openAPI = StaticFile("openapi.json", PackageResources.openapi_json, policy: "")

  func begin(_ phase: HTTPExchange.Phase, of exchange: HTTPExchange) {
    exchange.phase = phase
    restartDeadline()
  }

  /// Answers a request that is there whole.
  private func answer(_ head: RequestHead, _ body: [UInt8], _ exchange: HTTPExchange) {
    if passage == nil, context.cluster?.takesRelays == true { exchange.body = body }
    defer { if exchange.phase != .answer { exchange.body = nil } }
    do throws(HTTPError) {
      let endpoint = try find(head, exchange)
      try chargeRequest(exchange, to: endpoint)
      switch endpoint {
      case .socket: try upgrade(head, exchange, to: .channel, subprotocols: [subprotocol])
      case .echo: try upgrade(head, exchange, to: .echo, subprotocols: [])
      case .health: respond(Response(probed: ProbeAnswer(status: .ok, word: "ok")), to: head)
      case .live: respond(liveness, to: head)
      case .ready: respond(readiness, to: head)
      case .metrics: try showMetrics(head, exchange)
      case .openAPI: respond(Self.openAPI.response(to: head), to: head)
      case .sessions: try createSession(head, body, exchange)
      case .session(let id): try ask(.end, of: id, head, exchange)
      case .actions(let id):
        try ask(
          .act(first: try IdempotencyKeyField.number(in: head.headers), body, exchange.trace), of: id, head, exchange)
      case .view(let id): try ask(.view(unless: head.headers.elements(of: "If-None-Match")), of: id, head, exchange)
      case .auth(let id): try signIn(head, body, to: id, exchange)
      case .events(let id): try askForEvents(of: id, head, exchange)
      case .joinedEvents: try joinEvents(head, body, exchange)
      case .apps: respond(listApps(), to: head)
      case .schema(let app): respond(try describe(app), to: head)
      case .file(let path): if let file = context.files[path] { respond(file.response(to: head), to: head) }
      case nil: respond(options(for: head), to: head)
      }
    } catch {
      countRefusal(error, isMalformed: false)
      guard let delay = exchange.refusalDelay else { return refuse(error, keepAlive: head.keepsAlive, head) }
      exchange.asked = head
      begin(.answer, of: exchange)
      loop.execute(after: delay) { [weak self] in self?.didAnswer(Response(problem: error)) }
    }
  }

  /// The endpoint of a request that the gate lets in; nil for OPTIONS, which asks for the methods of a path.
  private func find(_ head: RequestHead, _ exchange: HTTPExchange) throws(HTTPError) -> Endpoint? {
    // Whoever has no token learns nothing of what there is, but for the files.
    if let desk = context.desk, !Endpoint.checksItself(head, context) { try checkToken(head, desk, exchange) }
    // A preflight to a path without an endpoint is answered, so that the page's request itself is told 404.
    let endpoint = head.isPreflight ? nil : try Endpoint.find(for: head, context)
    exchange.route = endpoint?.route ?? ""
    if let refusal = exchange.visit?.refusal { throw refusal }
    if isLate, endpoint?.isProbe != true {
      throw HTTPError(
        status: .serviceUnavailable, reason: "The server is going down. Connect again.", headers: ["Retry-After": "1"])
    }
    return endpoint
  }

  private func options(for head: RequestHead) -> Response {
    let allowed = Endpoint.allowed(at: head.path, context)
    return head.isPreflight
      ? rules.gate.preflight(allowed) : Response(status: .noContent, headers: ["Allow": allowed])
  }

  func refuse(_ error: HTTPError, keepAlive: Bool, _ head: RequestHead?) {
    context.logger.debug(
      "A request was refused.",
      metadata: ["status": "\(error.status.rawValue)", "reason": "\(error.reason.forLog)"].tracing(trace))
    let response = Response(problem: error)
    write(head.map { response.compressed(for: $0) } ?? response, keepAlive: keepAlive, to: head)
  }

  /// The trace of the request that is being answered, or that the WebSocket was made of; nil if it has none.
  var trace: RequestTrace? { if case .http(let exchange) = state { exchange.trace } else { channel.trace } }

  /// The gate's finding about the request that is being answered; nil before its head is read, and on a WebSocket.
  var visit: Gate.Visit? { if case .http(let exchange) = state { exchange.visit } else { nil } }

  /// Puts a response on its way.
  func respond(_ response: Response, to head: RequestHead, isCompressed: Bool = false) {
    let response = isCompressed ? response : response.compressed(for: head)
    // A client that is asked to go elsewhere has nothing more to ask here; nor one that was passed on for this request.
    write(response, keepAlive: head.keepsAlive && loop.drainSecondsLeft == nil && relayingNode == nil, to: head)
  }

  private func write(_ response: Response, keepAlive: Bool, to head: RequestHead?) {
    var response = response
    rules.gate.allowReading(&response.headers, visit)
    // A client of HTTP/1.0 expects to be told (RFC 9112 §9.3).
    if keepAlive, head?.minorVersion == 0 { response.headers.append(name: "Connection", value: "keep-alive") }
    let omitBody = if case .http(let exchange) = state { exchange.requests.isHead } else { false }
    response.write(into: &output.bytes, keepAlive: keepAlive, omitBody: omitBody, date: loop.date)
    if let head { countAnswer(to: head, response.status) }
    if !keepAlive { finish() }
  }

  /// Ends a connection that brings no request, or not the whole of it.
  func timeOut(_ exchange: HTTPExchange) {
    if exchange.phase == .answer { return giveUpAnswer(exchange) }
    guard exchange.phase != .idle, exchange.request != nil || !input.isEmpty else { return finish() }
    note(.cut)
    let error = HTTPError(status: .requestTimeout, reason: "The request did not arrive in time.")
    write(Response(problem: error), keepAlive: false, to: exchange.request)
  }

  /// Ends a connection whose request a session has not answered: what was asked may be done or not, and is to be asked again.
  func giveUpAnswer(_ exchange: HTTPExchange) {
    let error = HTTPError(
      status: .serviceUnavailable, reason: "The session has not answered. Ask again.", headers: ["Retry-After": "1"])
    refuse(error, keepAlive: false, exchange.asked)
  }

  /// Says that there are too many connections, and ends this one.
  func turnAway() {
    let error = HTTPError(
      status: .serviceUnavailable, reason: "There are too many connections.", headers: ["Retry-After": "5"])
    refuse(error, keepAlive: false, nil)
    flush()
  }
}
