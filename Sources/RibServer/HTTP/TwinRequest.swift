import Wire
import WireHTTP

/// What a request without a WebSocket asks of a session.
enum TwinRequest: Sendable {
  /// To do something: the number of the first action, the body, and the request's trace; and whether a part of it is done already.
  case act(first: Int, [UInt8], RequestTrace?, goesOn: Bool = false)
  /// The view, unless its tag is one of these.
  case view(unless: ListElements)
  /// To end the client's part.
  case end
  /// To let a new client in, by an invitation; with what the client says of itself.
  case join(ClientInfo)
  /// To have a person sign in to the client, or to renew the client's identity.
  case signIn

  /// Whether it ends the client's part: that is done also for a client that has used up its budget.
  var isEnd: Bool { if case .end = self { true } else { false } }

  /// The rest of it, when a part was done.
  var rest: TwinRequest {
    guard case .act(let first, let body, let trace, _) = self else { return self }
    return .act(first: first, body, trace, goesOn: true)
  }

  /// Whether it is the rest of a request.
  var isRest: Bool { if case .act(_, _, _, goesOn: true) = self { true } else { false } }

  /// What is answered when there is no session for it.
  ///
  /// - Parameter ending: why.
  /// - Returns: the answer.
  func error(_ ending: Ending) -> HTTPError {
    switch (self, ending.bye) {
    // An invitation says nothing of what there is.
    case (.join, .gone): HTTPError(.invitationIsVoid)
    case (.join, _): HTTPError(ending)
    case (_, .gone): HTTPError(.gone, "There is no such session, or none any more. POST /v1/sessions begins one.")
    default: HTTPError(ofClient: ending)
    }
  }
}

/// What a session says to a request.
enum TwinAnswer: Sendable {
  /// This.
  case response(Response)
  /// The session has left memory: look for it again.
  case left
  /// The client has used up its budget: ask again after so many nanoseconds. Nothing was done.
  case early(UInt64)
  /// A part is done, and others shall have their turn: ask for the rest after so many nanoseconds.
  case unfinished(UInt64)
}

extension HTTPError {
  /// What keeps a client with a token out is to its request.
  ///
  /// - Parameter ending: why.
  init(ofClient ending: Ending) {
    if ending.bye == .denied {
      self = TokenField.unauthorized("The token is that of no client of this session.", code: ending.bye.rawValue)
    } else {
      self.init(ending)
    }
  }

  /// What a reason to end a connection is to a request.
  ///
  /// - Parameter ending: the reason.
  init(_ ending: Ending) {
    self.init(ending.bye, ending.message, retryAfter: ending.retryAfter ?? 1)
    // RFC 6750 §3.1: what is wrong with a credential is said only if there is one.
    if ending.isWithoutCredential { headers = ["WWW-Authenticate": "Bearer"] }
  }

  /// What a reason to end a connection is to a request.
  ///
  /// - Parameters:
  ///   - bye: the reason.
  ///   - message: the same in a sentence.
  ///   - retryAfter: seconds after which the client should ask again, where it should.
  init(_ bye: Bye, _ message: String, retryAfter: Int = 1) {
    let (status, headers): (HTTPStatus, HeaderFields) =
      switch bye {
      case .unauthenticated, .expired: (.unauthorized, ["WWW-Authenticate": Self.invalidToken(message)])
      case .forbidden, .revoked, .denied: (.forbidden, [:])
      case .gone, .unknownApp, .poisoned: (.notFound, [:])
      case .badMessage, .noHello: (.badRequest, [:])
      case .full, .unavailable, .busy, .moved, .shutdown: (.serviceUnavailable, ["Retry-After": "\(retryAfter)"])
      case .quota: (.tooManyRequests, ["Retry-After": "\(retryAfter)"])
      case .stale: (.conflict, [:])
      case .ended, .silent, .taken, .failed: (.internalServerError, [:])
      }
    self.init(status: status, reason: message, code: bye.rawValue, headers: headers)
  }

  /// The challenge for a credential that is not taken (RFC 6750 §3): the description has these characters only.
  private static func invalidToken(_ message: String) -> String {
    let description = message.utf8.filter { 0x20...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
    return "Bearer error=\"invalid_token\", error_description=\"\(String(decoding: description, as: UTF8.self))\""
  }
}
