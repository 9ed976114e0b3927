import Wire
import WireHTTP

extension Connection {
  /// Begins to answer a request for the events of several clients (PROTOCOL.md, "joined-events").
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - body: `{"resume":[…],"features":[…]}`, as in a `hello`, but of several clients.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` with 400 or 413 for any other body, with 503 if there are no descriptors left.
  func joinEvents(_ head: RequestHead, _ body: [UInt8], _ exchange: HTTPExchange) throws(HTTPError) {
    try head.checkIsJSON()
    let requests = try eventRequests(head, body)
    let joined = JoinedEvents(to: self)
    do throws(SystemError) {
      for request in requests { try connect(request, to: joined, for: exchange.visit?.caller ?? caller) }
    } catch {
      joined.close()
      throw HTTPError(.busy, "The events cannot be joined now: \(error).")
    }
    kind = .events
    var response = Response(status: .ok, headers: Self.eventFields)
    rules.gate.allowReading(&response.headers, visit)
    response.writeStreamHead(into: &output.bytes, date: loop.date)
    countAnswer(to: head, response.status)
    passage = .onward(joined)
    state = .relayed
    beginTaking()
  }

  /// The requests for the events of each client.
  private func eventRequests(_ head: RequestHead, _ body: [UInt8]) throws(HTTPError) -> [[UInt8]] {
    let json: JSONElement
    do throws(JSONError) {
      json = try loop.work.reader.read(body.span).root
    } catch {
      throw HTTPError(body: error)
    }
    let clients = json["resume"].map { Array($0.elements) } ?? []
    guard !clients.isEmpty else {
      throw HTTPError(status: .badRequest, reason: "The body is {\"resume\":[…]}, with what each client resumes.")
    }
    guard clients.count <= JoinedEvents.limit else {
      throw HTTPError(
        status: .contentTooLarge,
        reason: "A request joins the events of \(JoinedEvents.limit) clients at most, this one of \(clients.count).")
    }
    var shared = HeaderFields()
    for name in ["Authorization", "Cookie", "Origin", "Sec-Fetch-Site"] {
      for value in head.headers.values(for: name) { shared.append(name: name, value: value) }
    }
    let feature = ClientFeature.clients.rawValue
    if json["features"]?.elements.contains(where: { $0.name.map { haveSameUTF8($0, feature) } == true }) == true {
      shared.append(name: "Riblet-Features", value: feature)
    }
    var requests: [[UInt8]] = []
    for client in clients { requests.append(try Self.request(for: client, head.headers["Host"] ?? "", shared)) }
    return requests
  }

  /// The request for the events of one client.
  ///
  /// - Parameters:
  ///   - client: what it resumes; `try`, `epoch` and `rev` may be missing.
  ///   - host: the host that the clients have asked.
  ///   - shared: what the requests of all clients have.
  /// - Returns: the request's bytes.
  /// - Throws: ``HTTPError`` with 400 for a client without a name or a token, or with something else for a number.
  private static func request(
    for client: JSONElement, _ host: String, _ shared: HeaderFields
  ) throws(HTTPError) -> [UInt8] {
    // The session's name becomes a part of a path.
    guard let sessionID = client["sid"]?.name, !sessionID.isEmpty, sessionID.utf8.allSatisfy(isUnreserved),
      let token = client["token"]?.name, !token.isEmpty
    else {
      throw HTTPError(
        status: .badRequest,
        reason: """
          Each client of "resume" has the "sid" and the "token" of its welcome, as they were there.
          """)
    }
    var fields = shared
    fields.append(name: TokenField.name, value: token)
    if let attempt = client["try"] {
      guard let number = attempt.messageNumber, number > 0 else {
        throw .badRequest("The \"try\" of a client is the number of the attempt, from 1.")
      }
      fields.append(name: TryField.name, value: "\(number)")
    }
    if client["epoch"] != nil || client["rev"] != nil {
      guard let epoch = client["epoch"]?.name, let revision = client["rev"]?.messageNumber else {
        throw .badRequest("The view of a client is an \"epoch\" and a \"rev\", as its last message had them.")
      }
      fields.append(name: "Last-Event-ID", value: "\(epoch).\(revision)")
    }
    var bytes: [UInt8] = []
    let path = "\(Endpoint.sessionsPath)/\(sessionID)/events"
    RequestHead(getting: path, from: host, fields).write(into: &bytes, body: [], isUpgrade: false)
    return bytes
  }

  /// Whether a path has a byte as it is, without percent-encoding (RFC 3986 §2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Has a connection within the process ask for a client's events.
  private func connect(_ request: [UInt8], to joined: JoinedEvents, for caller: Caller) throws(SystemError) {
    let (near, far) = try context.environment.sockets.pair()
    do throws(SystemError) {
      try joined.add(near)
    } catch {
      closeDescriptor(far)
      throw error
    }
    let admission = context.connections.enter(from: nil, at: loop.now)
    loop.work.stats.note(admission, isFull: false)
    guard admission != .dropped else { return closeDescriptor(far) }
    // Not now: this connection's own requests are being handled.
    loop.execute { [loop, context] in
      var received = ReceiveBuffer()
      received.append(request.span)
      Connection(far, admission, from: caller, isCounted: false, on: loop, context).start(with: received)
    }
  }
}
