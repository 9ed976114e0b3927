import WireHTTP

/// How far a connection is with a request, from its first byte to the answer.
///
/// It is apart from the connection because one that has become a WebSocket needs it no more.
final class HTTPExchange {
  /// What is waited for.
  enum Phase {
    case head
    case body
    /// The session's answer.
    case answer
    /// The next request, after an answer.
    case idle
  }

  var requests: RequestReader
  /// The request whose body is being read.
  var request: RequestHead?
  var phase = Phase.head
  /// When the head of the last request was there, in nanoseconds of the monotonic clock.
  var start: UInt64 = 0
  /// What the last request was for, as ``Endpoint/route`` has it.
  var route = ""
  /// The request that waits for a session's answer.
  var asked: RequestHead?
  /// The time that the request has waited for its client's budget, in nanoseconds.
  var waited: UInt64 = 0
  /// The code that runs when the request's wait ends; nil if no request waits.
  var continuation: ((Connection) -> Void)?
  /// The delay before the request's refusal is sent; nil for none.
  var refusalDelay: Duration?
  /// Nanoseconds of the loop's time that its requests have taken, and that are not charged yet.
  var timeUsed: UInt64 = 0
  /// Its body, if another node may have to be told the same; nil if none may.
  var body: [UInt8]?

  /// The gate's finding about the request that is being read or answered; nil before its head is read.
  var visit: Gate.Visit?
  /// The trace that the same request belongs to; nil if it names none.
  var trace: RequestTrace?
  /// The connection's own caller, kept while the connection counts to the client of a request for events.
  var peer: Caller?
  /// Whether a header of the PROXY protocol is to come first.
  var awaitsProxyHeader: Bool

  /// An exchange before its first request.
  ///
  /// - Parameters:
  ///   - limits: of requests.
  ///   - beginsWithProxyHeader: whether a header of the PROXY protocol is to come first.
  init(_ limits: HTTPLimits, beginsWithProxyHeader: Bool) {
    awaitsProxyHeader = beginsWithProxyHeader
    requests = RequestReader(limits: limits) { head in
      head.method == "POST" && head.path == Endpoint.joinedEventsPath
        || (head.method == "POST" || head.method == "PUT") && head.path.hasPrefix(Endpoint.sessionsPath)
    }
  }
}
