import Wire

/// Errors as problem documents (RFC 9457).
extension Response {
  /// A response that says in JSON what went wrong: `title`, `status` and `detail`.
  ///
  /// There is no `type`, so it is `about:blank`: the problem is the status and nothing finer (RFC 9457 §4.2.1).
  ///
  /// - Parameters:
  ///   - status: the status, also of the response itself.
  ///   - title: the kind of problem in a few words; the status's reason phrase if nil.
  ///   - detail: what is wrong this time, and what would be right.
  ///   - headers: further header fields.
  /// - Returns: the response, with its Content-Type.
  package static func problem(
    _ status: HTTPStatus, title: String? = nil, detail: String, headers: HeaderFields = [:]
  ) -> Response {
    var json = JSONWriter()
    json.beginObject()
    json.key("title")
    json.string(title ?? status.reasonPhrase)
    json.key("status")
    json.integer(status.rawValue)
    json.key("detail")
    json.string(detail)
    json.endObject()
    var headers = headers
    headers.append(name: "Content-Type", value: "application/problem+json")
    return Response(status: status, headers: headers, body: json.bytes)
  }

  /// The answer to a peer that did something wrong.
  ///
  /// - Parameter error: what it did; its headers are the response's.
  package init(problem error: HTTPError) {
    self = .problem(error.status, detail: error.reason, headers: error.headers)
  }
}
