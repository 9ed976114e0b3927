/// The first line of a response: `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 §4).
struct StatusLine: Equatable, Sendable {
  let version: HTTPVersion
  let status: HTTPStatus
  let reason: String

  /// Reads a status line; the space before an empty reason is required, too.
  ///
  /// - Parameter line: the line without its line end.
  /// - Throws: ``HTTPError`` with 400 if it is malformed, 505 for another version of HTTP.
  init(parsing line: Span<UInt8>) throws(HTTPError) {
    guard let first = HTTPGrammar.position(of: HTTPGrammar.space, in: line),
      let second = HTTPGrammar.position(of: HTTPGrammar.space, in: line, from: first + 1)
    else {
      throw .badRequest("The status line does not have three parts (RFC 9112 §4).")
    }
    version = try HTTPVersion(parsing: line.extracting(..<first))
    let digits = line.extracting((first + 1)..<second)
    // RFC 9110 §15: three digits, five classes. Three characters that are a number from 100 up have no sign among them.
    guard digits.count == 3, let code = Int(HTTPGrammar.text(digits)), (100..<600).contains(code) else {
      throw .badRequest("The status code is not a number from 100 to 599 (RFC 9110 §15).")
    }
    status = HTTPStatus(rawValue: code)
    let reason = line.extracting((second + 1)...)
    guard HTTPGrammar.all(reason, HTTPGrammar.isFieldByte) else {
      throw .badRequest("The reason phrase has a control character (RFC 9112 §4).")
    }
    self.reason = HTTPGrammar.text(reason)
  }
}
