import Wire

/// Errors as problem documents (RFC 9457).
extension Response {
  /// A response that says in JSON what went wrong: `title`, `status`, `detail` and, as an extension (RFC 9457 §3.2), `code`.
  ///
  /// There is no `type`, so it is `about:blank`: the problem is the status (RFC 9457 §4.2.1).
  ///
  /// - Parameters:
  ///   - status: the status, also of the response itself.
  ///   - title: the kind of problem in a few words; the status's reason phrase if nil.
  ///   - detail: what is wrong this time, and what would be right.
  ///   - code: which problem it is, for a program; left out if nil.
  ///   - headers: further header fields.
  /// - Returns: the response, with its Content-Type.
  package static func problem(
    _ status: HTTPStatus, title: String? = nil, detail: String, code: String? = nil, headers: HeaderFields = [:]
  ) -> Response {
    var json = JSONWriter()
    json.beginObject()
    json.key("title")
    json.string(title ?? status.reasonPhrase)
    json.key("status")
    json.integer(status.rawValue)
    json.key("detail")
    json.string(detail)
    if let code {
      json.key("code")
      json.string(code)
    }
    json.endObject()
    var headers = headers
    headers.append(name: "Content-Type", value: "application/problem+json")
    return Response(status: status, headers: headers, body: json.bytes)
  }

  /// The answer to a peer that did something wrong.
  ///
  /// - Parameter error: what it did; its headers are the response's.
  package init(problem error: HTTPError) {
    self = .problem(error.status, detail: error.reason, code: error.code, headers: error.headers)
  }
}
