import Wire
import WireHTTP

/// What a request without a WebSocket asks of a session.
enum TwinRequest: Sendable {
  /// To do something: the number of the first action, and the body.
  case act(first: Int, [UInt8])
  /// The view, unless its tag is this one.
  case view(knownTag: String?)
  /// To end the client's part.
  case end
  /// To let a new client in, by an invitation.
  case join

  /// What is answered when there is no session for it.
  ///
  /// - Parameter ending: why.
  /// - Returns: the answer.
  func error(_ ending: Ending) -> HTTPError {
    switch (self, ending.bye) {
    // An invitation says nothing of what there is.
    case (.join, .gone): HTTPError(.denied, ending.message)
    case (.join, _): HTTPError(ending)
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
}

extension HTTPError {
  /// What keeps a client with a token out is to its request.
  ///
  /// - Parameter ending: why.
  init(ofClient ending: Ending) {
    if ending.bye == .denied {
      self = .unauthorized("The token is that of no client of this session.")
    } else {
      self.init(ending)
    }
  }

  /// What a reason to end a connection is to a request.
  ///
  /// - Parameter ending: the reason.
  init(_ ending: Ending) { self.init(ending.bye, ending.message, retryAfter: ending.retryAfter ?? 1) }

  /// What a reason to end a connection is to a request.
  ///
  /// - Parameters:
  ///   - bye: the reason.
  ///   - message: the same in a sentence.
  ///   - retryAfter: seconds after which the client should ask again, where it should.
  init(_ bye: Bye, _ message: String, retryAfter: Int = 1) {
    switch bye {
    case .gone, .unknownApp, .poisoned: self.init(status: .notFound, reason: message)
    case .denied: self.init(status: .forbidden, reason: message)
    case .badMessage, .noHello: self.init(status: .badRequest, reason: message)
    case .full, .unavailable, .moved, .shutdown:
      self.init(status: .serviceUnavailable, reason: message, headers: ["Retry-After": "\(retryAfter)"])
    case .quota: self.init(status: .tooManyRequests, reason: message, headers: ["Retry-After": "\(retryAfter)"])
    case .stale: self.init(status: .conflict, reason: message)
    case .ended, .silent, .taken, .failed: self.init(status: .internalServerError, reason: message)
    }
  }
}
