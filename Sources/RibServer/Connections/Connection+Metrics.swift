import Wire
import WireHTTP

// What is counted of connections.

extension Connection {
  /// The protocol that a connection carries: the label `transport` of its metrics.
  enum Kind: String, CaseIterable {
    /// Requests and answers, so far.
    case http
    case websocket
    case events
  }

  /// Why a connection ends.
  enum End {
    /// The server has said why.
    case bye(Bye)
    /// The peer has said so, or has sent all that it had to say; or an answer was the last.
    case closed
    /// The peer has sent what breaks the protocol.
    case `protocol`
    /// The connection has broken, or took too long.
    case cut

    /// As the metrics name it.
    var name: String {
      switch self {
      case .bye(let bye): bye.rawValue
      case .closed: "closed"
      case .protocol: "protocol"
      case .cut: "cut"
      }
    }
  }

  /// Takes note why the connection ends; what is noted first counts.
  func note(_ end: End) { if self.end == nil { self.end = end } }

  /// Counts a connection that has ended.
  func countEnd() {
    guard admission == .admitted else { return }
    loop.work.stats.endedConnections[(end ?? .cut).name, default: 0] += 1
    loop.work.stats.connectionTimes[kind, default: TimeCells(TimeCells.long)].add(loop.now - min(startTime, loop.now))
  }

  /// Counts that the connection is not read from for a while, from the moment at which there is a reason for it.
  func countPause() {
    let reason: LoopStats.Count? =
      if pace.isPaused {
        .pausedByRate
      } else if channel.readsTooLittle {
        .pausedByReader
      } else if channel.waitsForTooMuch {
        .pausedByCommit
      } else {
        nil
      }
    guard reason != pause else { return }
    if let reason, pause == nil { loop.work.stats.note(reason) }
    pause = reason
  }

  /// Counts a request that is refused before anybody has looked at what it asks for.
  ///
  /// - Parameters:
  ///   - error: the answer.
  ///   - isMalformed: whether the request could not be read.
  /// - Returns: whether it was counted.
  @discardableResult func countRefusal(_ error: HTTPError, isMalformed: Bool) -> Bool {
    let reason: String
    switch error.status {
    case .misdirectedRequest: reason = "host"
    case .forbidden where visit?.refusal?.status == .forbidden: reason = "origin"
    case .contentTooLarge, .uriTooLong, .requestHeaderFieldsTooLarge: reason = "too_large"
    case .badRequest where isMalformed || visit?.refusal?.status == .badRequest: reason = "malformed"
    case .expectationFailed where isMalformed, .httpVersionNotSupported where isMalformed: reason = "malformed"
    default: return false
    }
    loop.work.stats.refusedRequests[reason, default: 0] += 1
    return true
  }

  /// Counts a request that is answered.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - status: the answer's.
  func countAnswer(to head: RequestHead, _ status: HTTPStatus) {
    guard case .http(let exchange) = state else { return }
    let kind = LoopStats.RequestKind(
      method: Endpoint.knownMethods.contains(head.method) ? head.method : "_OTHER", route: exchange.route,
      status: status.rawValue)
    let time = loop.time()
    loop.work.stats.requestTimes[kind, default: TimeCells()].add(time - min(exchange.start, time))
  }

  /// Counts a question to the authenticator.
  ///
  /// - Parameters:
  ///   - authentication: the question.
  ///   - outcome: what has come of it.
  func count(_ authentication: Authentication, _ outcome: String) {
    let kind = LoopStats.AuthenticationKind(purpose: authentication.question.name, outcome: outcome)
    loop.work.stats.authentications[kind, default: 0] += 1
  }
}

extension Authentication.Question {
  /// The purpose of the question, as the metrics name it.
  fileprivate var name: String {
    switch self {
    case .holds: "recheck"
    case .credential(let request):
      switch request.purpose {
      case .begin: "begin"
      case .resume: "resume"
      case .join: "join"
      case .renew: "renew"
      }
    }
  }
}

extension Authentication.Answer {
  /// The outcome, as the metrics name it; that of an identity depends on what the server knows of it.
  var name: String {
    switch self {
    case .success(nil): "anonymous"
    case .success: "accepted"
    case .failure(.missing): "missing"
    case .failure(.invalid): "invalid"
    case .failure(.expired): "expired"
    case .failure(.forbidden): "forbidden"
    case .failure(.unavailable): "unavailable"
    }
  }
}
