import Wire

/// What a path leads to.
enum Endpoint: String, CaseIterable {
  case health = "/healthz"
  case socket = "/v1/socket"
  case echo = "/echo"

  /// What there is for a request.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - settings: the server's.
  /// - Returns: the endpoint; nil if the request is about what may be asked for, at its path or, for `*`, at all.
  /// - Throws: ``HTTPError``: 501 for a method that is unknown here, 404 for a path that leads nowhere, 405 for a method
  ///   that is not for it.
  static func find(for head: RequestHead, _ settings: ServerSettings) throws(HTTPError) -> Endpoint? {
    guard knownMethods.contains(head.method) else {
      throw HTTPError(status: .notImplemented, reason: "There is no method \(head.method) (RFC 9110 §9.1).")
    }
    if head.path == "*" { return nil }
    guard let endpoint = Endpoint(rawValue: head.path), endpoint != .echo || settings.echo else {
      throw HTTPError(status: .notFound, reason: "There is nothing at \(head.path).")
    }
    if head.method == "OPTIONS" { return nil }
    guard endpoint.methods.contains(head.method) else {
      let allowed = endpoint.allowed
      throw HTTPError(
        status: .methodNotAllowed, reason: "\(head.path) answers to \(allowed).", headers: ["Allow": allowed])
    }
    return endpoint
  }

  /// The methods of RFC 9110 §9.3 and RFC 5789, but for CONNECT: no request with it is read.
  private static let knownMethods: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH",
  ]

  /// What it answers to, besides OPTIONS.
  private var methods: [String] {
    switch self {
    case .health: ["GET", "HEAD"]
    case .socket, .echo: ["GET"]
    }
  }

  /// As the Allow field has it.
  private var allowed: String { (methods + ["OPTIONS"]).joined(separator: ", ") }

  /// The answer to OPTIONS (RFC 9110 §9.3.7).
  ///
  /// - Parameter path: what it is asked for.
  /// - Returns: the response.
  static func options(for path: String) -> Response {
    let allowed = Endpoint(rawValue: path)?.allowed ?? "GET, HEAD, OPTIONS"
    return Response(status: .noContent, headers: ["Allow": allowed])
  }
}
