/// A response, ready to be written.
package struct Response: Equatable, Sendable {
  /// The status.
  package var status: HTTPStatus
  /// The header fields, without those that ``write(into:keepAlive:omitBody:date:)`` adds.
  package var headers: HeaderFields
  /// The body.
  package var body: [UInt8]

  /// A response of these parts.
  ///
  /// - Parameters:
  ///   - status: the status.
  ///   - headers: the header fields; Content-Length is added in writing.
  ///   - body: the body.
  package init(status: HTTPStatus, headers: HeaderFields = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Adds the response's bytes to `output`: status line, headers, body.
  ///
  /// Where the body ends is decided here: Content-Length is the body's size, whatever the headers say. A 1xx, a 204
  /// and a 304 have neither Content-Length nor body, a 205 has no body (RFC 9110 §8.6 and §15). Characters that a field value may not have, line ends above
  /// all, become spaces, so that no value can end its line.
  ///
  /// - Parameters:
  ///   - output: receives the bytes at its end.
  ///   - keepAlive: whether the connection stays open; if not, `Connection: close` says so, except in a 101.
  ///   - omitBody: whether to leave out the body but not its size, as in the answer to HEAD.
  ///   - date: the time as ``HTTPDate`` writes it, for the Date field; nil leaves it out, as in a 1xx.
  package func write(into output: inout [UInt8], keepAlive: Bool, omitBody: Bool, date: String? = nil) {
    precondition((100...999).contains(status.rawValue), "a status code has three digits, unlike \(status.rawValue)")
    let hasContent = status.rawValue >= 200 && ![204, 304].contains(status.rawValue)
    let body = status.rawValue == 205 ? [] : body
    output.append(contentsOf: "HTTP/1.1 \(status.rawValue) \(status.reasonPhrase)\r\n".utf8)
    if let date { output.append(contentsOf: "Date: \(date)\r\n".utf8) }
    for field in headers.fields
    where !HTTPGrammar.matches(field.name, "Content-Length") && !HTTPGrammar.matches(field.name, "Transfer-Encoding") {
      field.write(into: &output)
    }
    if hasContent { output.append(contentsOf: "Content-Length: \(body.count)\r\n".utf8) }
    if !keepAlive && status != .switchingProtocols { output.append(contentsOf: "Connection: close\r\n".utf8) }
    output.append(contentsOf: "\r\n".utf8)
    if hasContent && !omitBody { output.append(contentsOf: body) }
  }

  /// Adds a head whose body is a stream, which ends with the connection (RFC 9112 §6.3).
  ///
  /// - Parameters:
  ///   - output: receives the bytes at its end.
  ///   - date: the time as ``HTTPDate`` writes it.
  package func writeStreamHead(into output: inout [UInt8], date: String) {
    output.append(contentsOf: "HTTP/1.1 \(status.rawValue) \(status.reasonPhrase)\r\nDate: \(date)\r\n".utf8)
    for field in headers.fields { field.write(into: &output) }
    output.append(contentsOf: "Connection: close\r\n\r\n".utf8)
  }
}
