/// A status code (RFC 9110 §15); those that this server sends have names.
package struct HTTPStatus: RawRepresentable, Hashable, Sendable {
  /// The three-digit code.
  package let rawValue: Int

  /// The status with this code, known here or not.
  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// 100: the body that the client holds back is wanted.
  package static let `continue` = HTTPStatus(rawValue: 100)
  /// 101: the connection speaks the protocol named in `Upgrade` from here on.
  package static let switchingProtocols = HTTPStatus(rawValue: 101)
  /// 200: the request succeeded.
  package static let ok = HTTPStatus(rawValue: 200)
  /// Something new is there.
  package static let created = HTTPStatus(rawValue: 201)
  /// 204: the request succeeded and there is nothing to send.
  package static let noContent = HTTPStatus(rawValue: 204)
  /// What the client has is the newest.
  package static let notModified = HTTPStatus(rawValue: 304)
  /// 400: the request breaks the protocol's grammar or rules.
  package static let badRequest = HTTPStatus(rawValue: 400)
  /// The client has not said who it is.
  package static let unauthorized = HTTPStatus(rawValue: 401)
  /// The client may not do that.
  package static let forbidden = HTTPStatus(rawValue: 403)
  /// 404: nothing is at this path.
  package static let notFound = HTTPStatus(rawValue: 404)
  /// 405: what is at this path does not answer to this method.
  package static let methodNotAllowed = HTTPStatus(rawValue: 405)
  /// 408: the request did not arrive in time.
  package static let requestTimeout = HTTPStatus(rawValue: 408)
  /// The request does not follow what was done before.
  package static let conflict = HTTPStatus(rawValue: 409)
  /// 413: the body is larger than this server takes.
  package static let contentTooLarge = HTTPStatus(rawValue: 413)
  /// 414: the request line is longer than this server takes.
  package static let uriTooLong = HTTPStatus(rawValue: 414)
  /// 415: the body is of another type than this server takes.
  package static let unsupportedMediaType = HTTPStatus(rawValue: 415)
  /// 417: what the client expects is not done here.
  package static let expectationFailed = HTTPStatus(rawValue: 417)
  /// 421: the server does not answer for this host.
  package static let misdirectedRequest = HTTPStatus(rawValue: 421)
  /// 426: this resource speaks only the protocol named in `Upgrade`.
  package static let upgradeRequired = HTTPStatus(rawValue: 426)
  /// 429: the client, or the place that it is at, has asked too often.
  package static let tooManyRequests = HTTPStatus(rawValue: 429)
  /// 431: the header section is larger than this server takes.
  package static let requestHeaderFieldsTooLarge = HTTPStatus(rawValue: 431)
  /// 500: the server failed.
  package static let internalServerError = HTTPStatus(rawValue: 500)
  /// 501: the server does not do what the request needs.
  package static let notImplemented = HTTPStatus(rawValue: 501)
  /// 503: the server cannot serve now.
  package static let serviceUnavailable = HTTPStatus(rawValue: 503)
  /// 505: the request's version of HTTP is not spoken here.
  package static let httpVersionNotSupported = HTTPStatus(rawValue: 505)

  /// RFC 9110's name for the code; empty, which a status line allows, for a code without a name here.
  package var reasonPhrase: String {
    switch self {
    case .continue: "Continue"
    case .switchingProtocols: "Switching Protocols"
    case .ok: "OK"
    case .created: "Created"
    case .noContent: "No Content"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .contentTooLarge: "Content Too Large"
    case .uriTooLong: "URI Too Long"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .expectationFailed: "Expectation Failed"
    case .misdirectedRequest: "Misdirected Request"
    case .upgradeRequired: "Upgrade Required"
    case .tooManyRequests: "Too Many Requests"
    case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
    case .internalServerError: "Internal Server Error"
    case .notImplemented: "Not Implemented"
    case .serviceUnavailable: "Service Unavailable"
    case .httpVersionNotSupported: "HTTP Version Not Supported"
    default: ""
    }
  }
}
