/// Where a body ends (RFC 9112 §6). What is unclear here is refused: two readers that disagree are how requests are
/// smuggled past a proxy (§11.2).
extension HeaderFields {
  /// The size of the body in bytes, nil if no Content-Length says so.
  ///
  /// - Throws: ``HTTPError`` with 400 if a size is not a row of digits or sizes differ, 413 if it exceeds `Int`.
  func contentLength() throws(HTTPError) -> Int? {
    var length: Int?
    // RFC 9110 §8.6: one size said twice, in one line or in two, is as good as once.
    for element in elements(of: "Content-Length") {
      guard !element.isEmpty, element.utf8.allSatisfy(HTTPGrammar.isDigit) else {
        throw .badRequest("Content-Length is not a number (RFC 9110 §8.6).")
      }
      guard let value = Int(element) else {
        throw HTTPError(status: .contentTooLarge, reason: "Content-Length is larger than any body taken here.")
      }
      guard length == nil || length == value else {
        throw .badRequest("Content-Length is given twice and differs (RFC 9112 §6.3).")
      }
      length = value
    }
    return length
  }

  /// Makes sure that the body of a request, if it has one, ends where everyone sees it end.
  ///
  /// - Parameter minorVersion: of the request's HTTP/1.
  /// - Throws: ``HTTPError`` with 400 if the fields contradict each other or chunked is not the last coding, 501 for any
  ///   coding before it.
  func checkTransferEncoding(minorVersion: Int) throws(HTTPError) {
    guard self["Transfer-Encoding"] != nil else { return }
    let codings = Array(elements(of: "Transfer-Encoding"))
    // RFC 9112 §6.1
    guard self["Content-Length"] == nil else {
      throw .badRequest("Both Content-Length and Transfer-Encoding are given (RFC 9112 §6.1).")
    }
    guard minorVersion > 0 else {
      throw .badRequest("HTTP/1.0 has no Transfer-Encoding (RFC 9112 §6.1).")
    }
    // An element without a name is another way to hide which is the last.
    guard !codings.contains("") else { throw .badRequest("An element of Transfer-Encoding is empty (RFC 9112 §6.1).") }
    let isChunked = codings.map { HTTPGrammar.matches($0, "chunked") }
    guard isChunked.last == true, !isChunked.dropLast().contains(true) else {
      throw .badRequest("Chunked is not the last and only once in Transfer-Encoding (RFC 9112 §6.3).")
    }
    guard codings.count == 1 else {
      throw HTTPError(status: .notImplemented, reason: "The only Transfer-Encoding taken here is chunked.")
    }
  }

  /// Makes sure that nothing is expected but a 100 (RFC 9110 §10.1.1).
  ///
  /// - Throws: ``HTTPError`` with 417.
  func checkExpectations() throws(HTTPError) {
    for expectation in elements(of: "Expect")
    where !expectation.isEmpty && !HTTPGrammar.matches(expectation, "100-continue") {
      throw HTTPError(status: .expectationFailed, reason: "The only expectation met here is 100-continue.")
    }
  }
}
