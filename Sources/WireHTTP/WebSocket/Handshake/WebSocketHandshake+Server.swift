extension WebSocketHandshake {
  /// The 101 to a client's request, or why it gets none.
  ///
  /// The first subprotocol offered that is supported is chosen. A client that offers none gets none, and no mention of
  /// one; so does every client where none is spoken. Of the extensions offered only compression is known. What the path,
  /// `Origin` and credentials must be is the caller's to check.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - supported: the subprotocols spoken here; their case matters.
  ///   - policy: which offers of compression are accepted; nil for none.
  /// - Returns: the response, and the subprotocol and the compression that it names.
  /// - Throws: ``HTTPError`` with 405 for a method other than GET; 426 for no `Upgrade: websocket` or another version,
  ///   its headers saying what is spoken here; 400 for anything else, also if only unsupported subprotocols are
  ///   offered.
  package static func answer(
    _ head: RequestHead, subprotocols supported: [String], compression policy: PerMessageDeflate.Policy? = nil
  ) throws(HTTPError) -> (response: Response, subprotocol: String?, compression: PerMessageDeflate?) {
    try checkUpgrade(head)
    let key = try key(in: head.headers)
    let subprotocol = try chooseSubprotocol(offeredIn: head.headers, supported: supported)
    let extensions = try WebSocketExtension.list(in: head.headers)
    let accepted = policy.flatMap { PerMessageDeflate.accept(extensions, $0) }
    var headers: HeaderFields = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": acceptValue(for: key),
    ]
    if let subprotocol { headers.append(name: "Sec-WebSocket-Protocol", value: subprotocol) }
    if let accepted { headers.append(name: "Sec-WebSocket-Extensions", value: accepted.answer.text) }
    return (Response(status: .switchingProtocols, headers: headers), subprotocol, accepted?.agreement)
  }

  /// Makes sure that this is a request to switch to the one version of the protocol (RFC 6455 §4.2.1).
  ///
  /// - Parameter head: the request.
  /// - Throws: ``HTTPError`` as `answer` does.
  private static func checkUpgrade(_ head: RequestHead) throws(HTTPError) {
    guard head.method == "GET" else {
      throw HTTPError(
        status: .methodNotAllowed, reason: "A WebSocket is opened with GET (RFC 6455 §4.1).", headers: ["Allow": "GET"])
    }
    // RFC 9110 §7.8: a server must ignore an Upgrade from HTTP/1.0.
    guard head.minorVersion == 1 else { throw .badRequest("A WebSocket is opened with HTTP/1.1 (RFC 6455 §4.1).") }
    guard head.headers.contains(token: "websocket", in: "Upgrade") else {
      throw upgradeRequired("Only WebSocket is spoken here: send Upgrade: websocket (RFC 6455 §4.1).")
    }
    guard head.headers.contains(token: "upgrade", in: "Connection") else {
      throw .badRequest("Connection: Upgrade is missing; a proxy may have dropped it (RFC 6455 §4.1).")
    }
    // The bytes of a body would be taken for frames.
    guard !head.hasBody else { throw .badRequest("A WebSocket's opening request has no body.") }
    guard head.headers.values(for: "Sec-WebSocket-Version") == [version] else {
      throw upgradeRequired("The only WebSocket version spoken here is \(version) (RFC 6455 §4.4).")
    }
  }

  /// The client's key.
  ///
  /// - Parameter headers: the request's.
  /// - Returns: the key as sent.
  /// - Throws: ``HTTPError`` with 400 unless there is exactly one, of 16 bytes (RFC 6455 §4.2.1).
  private static func key(in headers: HeaderFields) throws(HTTPError) -> String {
    let keys = headers.values(for: "Sec-WebSocket-Key")
    guard keys.count == 1, let key = keys.first, isKey(key) else {
      throw .badRequest("Sec-WebSocket-Key must be given once, 16 bytes in base 64 (RFC 6455 §4.2.1).")
    }
    return key
  }

  /// The subprotocol to speak, nil if none is offered or none is spoken here.
  ///
  /// - Parameters:
  ///   - headers: the request's.
  ///   - supported: those spoken here.
  /// - Returns: the client's most preferred one of them.
  /// - Throws: ``HTTPError`` with 400 if what is offered is malformed or not supported.
  private static func chooseSubprotocol(
    offeredIn headers: HeaderFields, supported: [String]
  ) throws(HTTPError) -> String? {
    // A client that offers more has no preference.
    let offered = headers.elements(of: "Sec-WebSocket-Protocol").filter { !$0.isEmpty }.prefix(64).map { String($0) }
    guard !offered.isEmpty else { return nil }
    guard offered.allSatisfy(HTTPGrammar.isToken) else {
      throw .badRequest("Sec-WebSocket-Protocol is not a list of tokens (RFC 6455 §4.1).")
    }
    if supported.isEmpty { return nil }
    guard let chosen = offered.first(where: supported.contains) else {
      throw .badRequest("None of the subprotocols offered is spoken here, only: \(supported.joined(separator: ", ")).")
    }
    return chosen
  }

  /// A 426, with what RFC 9110 §15.5.22 and RFC 6455 §4.4 want in it.
  private static func upgradeRequired(_ reason: String) -> HTTPError {
    HTTPError(
      status: .upgradeRequired, reason: reason,
      headers: ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": version])
  }
}
