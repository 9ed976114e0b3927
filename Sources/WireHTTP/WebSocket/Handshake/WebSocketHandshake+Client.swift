extension WebSocketHandshake {
  /// The bytes of a client's opening request (RFC 6455 §4.1).
  ///
  /// An argument that cannot stand in the request is a mistake in the program and traps.
  ///
  /// - Parameters:
  ///   - host: the server's host, with its port unless it is the scheme's own.
  ///   - path: path and query, percent-encoded, from the `/` on.
  ///   - key: 16 random bytes, fresh for each connection, in base 64.
  ///   - subprotocols: those to offer, the most preferred first.
  ///   - compression: what to offer about compression; nil for none.
  ///   - headers: further fields.
  /// - Returns: the request.
  package static func request(
    host: String, path: String, key: String, subprotocols: [String], compression: PerMessageDeflate.Offer? = nil,
    headers: HeaderFields = [:]
  ) -> [UInt8] {
    precondition(!host.isEmpty && HTTPGrammar.isHost(host), "\"\(host)\" is not a host with an optional port")
    precondition(
      path.utf8.first == UInt8(ascii: "/") && path.utf8.allSatisfy(HTTPGrammar.isTargetByte),
      "\"\(path)\" is not a percent-encoded path from the / on")
    precondition(isKey(key), "the key is not 16 bytes in base 64")
    precondition(subprotocols.allSatisfy(HTTPGrammar.isToken), "one of \(subprotocols) is not a token")
    var lines = [
      "GET \(path) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: \(version)",
    ]
    if !subprotocols.isEmpty { lines.append("Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))") }
    if let compression { lines.append("Sec-WebSocket-Extensions: \(compression.element.text)") }
    for field in headers.fields {
      precondition(field.value.utf8.allSatisfy(HTTPGrammar.isFieldByte), "\(field.name) has a byte that no field has")
      lines.append("\(field.name): \(field.value)")
    }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Makes sure that the server opened the WebSocket (RFC 6455 §4.1, the client's checks).
  ///
  /// - Parameters:
  ///   - head: the server's answer.
  ///   - key: the key of the request.
  ///   - offered: the subprotocols of the request.
  ///   - offer: what the request offered about compression.
  /// - Returns: the subprotocol that the server chose, nil if none, and the compression that it agreed to, nil if to none.
  /// - Throws: ``HTTPError`` if the WebSocket is not open. If the server answered with another status than 101, it has
  ///   that status (and its `Retry-After`, if given, is in `head`); otherwise 400, and the connection must be closed.
  @discardableResult
  package static func check(
    _ head: ResponseHead, key: String, subprotocols offered: [String] = [],
    compression offer: PerMessageDeflate.Offer? = nil
  ) throws(HTTPError) -> (subprotocol: String?, compression: PerMessageDeflate?) {
    guard head.status == .switchingProtocols else {
      throw HTTPError(
        status: head.status, reason: "The server did not open the WebSocket: \(head.status.rawValue) \(head.reason)")
    }
    guard head.minorVersion == 1, head.headers.contains(token: "websocket", in: "Upgrade"),
      head.headers.contains(token: "upgrade", in: "Connection")
    else {
      throw .badRequest("The server switched to another protocol than WebSocket (RFC 6455 §4.1).")
    }
    guard head.headers.values(for: "Sec-WebSocket-Accept") == [acceptValue(for: key)] else {
      throw .badRequest("Sec-WebSocket-Accept does not answer the key; this may be a cache's (RFC 6455 §4.1).")
    }
    let extensions = try WebSocketExtension.list(in: head.headers)
    guard extensions.allSatisfy({ offer != nil && $0.name == PerMessageDeflate.name }) else {
      throw .badRequest("The server uses an extension that was not offered (RFC 6455 §4.1).")
    }
    let compression = try offer.flatMap { offer throws(HTTPError) in
      try PerMessageDeflate.check(extensions, to: offer)
    }
    let chosen = head.headers.values(for: "Sec-WebSocket-Protocol")
    guard chosen.count <= 1, chosen.allSatisfy(offered.contains) else {
      throw .badRequest("The server chose a subprotocol that was not offered (RFC 6455 §4.1).")
    }
    return (chosen.first, compression)
  }
}
