extension RequestHead {
  /// A request that a client makes, without a body.
  ///
  /// - Parameters:
  ///   - path: path and query, percent-encoded, from the `/` on.
  ///   - host: the server's host, with its port unless it is the scheme's own.
  ///   - fields: further fields.
  package init(getting path: String, from host: String, _ fields: HeaderFields) {
    var headers: HeaderFields = ["Host": host]
    for field in fields.fields { headers.append(name: field.name, value: field.value) }
    (method, target, self.path, query, minorVersion) = ("GET", path, path, nil, 1)
    (self.headers, contentLength) = (headers, nil)
  }

  /// The fields that say how the body comes.
  private static let framingFields = ["Content-Length", "Transfer-Encoding", "Expect", "Trailer", "TE"]

  /// Adds the bytes of a request that is passed on whole.
  ///
  /// Where the body ends is said by Content-Length, however it has come.
  ///
  /// - Parameters:
  ///   - output: receives the bytes at its end.
  ///   - body: the body, without the chunks that it may have come in.
  ///   - isUpgrade: whether it asks for another protocol, and may have it; otherwise the connection ends with the answer.
  package func write(into output: inout [UInt8], body: [UInt8], isUpgrade: Bool) {
    output.append(contentsOf: "\(method) \(target) HTTP/1.\(minorVersion)\r\n".utf8)
    let left = Self.framingFields + (isUpgrade ? [] : ["Connection", "Upgrade"])
    for field in headers.fields where !left.contains(where: { HTTPGrammar.matches($0, field.name) }) {
      field.write(into: &output)
    }
    if hasBody { output.append(contentsOf: "Content-Length: \(body.count)\r\n".utf8) }
    if !isUpgrade { output.append(contentsOf: "Connection: close\r\n".utf8) }
    output.append(contentsOf: "\r\n".utf8)
    output.append(contentsOf: body)
  }
}
