import Logging
import RibMetrics
import Wire
import WireHTTP

// What an admin listener shows of the server that it belongs to.

extension Connection {
  /// Answers with the metrics of the server that is shown, once its loops have given their figures.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` with 503 if that server does not run.
  func showMetrics(_ head: RequestHead, _ exchange: HTTPExchange) throws(HTTPError) {
    guard let inspection = context.desk?.server.inspection else { throw Self.notRunning }
    exchange.asked = head
    begin(.answer, of: exchange)
    // It keeps the connection in memory for a second at most once that is closed.
    inspection.writeMetrics { [self, loop] text in
      let response = Response(
        status: .ok, headers: ["Content-Type": PrometheusText.contentType, "Cache-Control": "no-store"], body: text)
      loop.execute { self.didAnswer(response) }
    }
  }

  /// Makes sure that a request is an operator's.
  ///
  /// A place that has shown too many wrong tokens is refused unseen. On this machine, from where operators come as well, a token is always
  /// looked at; but the answer to a wrong one takes a second then.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - desk: the operators'.
  ///   - exchange: the connection's.
  /// - Throws: ``HTTPError`` with 401 without a token or with a wrong one, with 429 after too many.
  func checkToken(_ head: RequestHead, _ desk: AdminDesk, _ exchange: HTTPExchange) throws(HTTPError) {
    let place = caller.place
    let wait = place == nil ? 0 : desk.wrongTokens.wait(of: place, at: loop.now)
    guard wait == 0 else { throw .tooFast(wait) }
    do throws(HTTPError) {
      try desk.check(head)
      isOperators = true
    } catch {
      if AdminDesk.token(in: head) != nil, noteWrongToken(desk) { exchange.refusalDelay = AdminDesk.refusalDelay }
      throw error
    }
  }

  /// Counts a wrong token, and has the audit have a line a minute at most.
  ///
  /// - Returns: whether there were too many, so that the answer is to take a while.
  func noteWrongToken(_ desk: AdminDesk) -> Bool {
    let name = "\(caller.address.map { "\($0)" } ?? "unix")"
    if desk.noteWrongToken() {
      context.logger.audit("A wrong admin token was shown.", ["address": "\(name)"])
      Self.tellWrongTokens(of: desk, name, context, loop)
    }
    return desk.wrongTokens.take(from: caller.place, at: loop.now) > 0
  }

  private static func tellWrongTokens(of desk: AdminDesk, _ name: String, _ context: ServerContext, _ loop: EventLoop) {
    loop.execute(after: .seconds(AdminDesk.auditPause)) { [weak desk, weak loop] in
      guard let desk, let loop else { return }
      let count = desk.takeUntold()
      guard count > 0 else { return }
      context.logger.audit("Wrong admin tokens were shown.", ["count": "\(count)", "first": "\(name)"])
      tellWrongTokens(of: desk, name, context, loop)
    }
  }

  /// Closes the oldest of the connections that have shown no token, if there are too many.
  func makeRoomForOperators() {
    let strangers = loop.connections.values.filter { !$0.isOperators }
    guard strangers.count > AdminDesk.strangerLimit else { return }
    strangers.min { $0.id < $1.id }?.abort()
  }

  private static let notRunning = HTTPError(status: .serviceUnavailable, reason: "The server does not run.")

  /// Whether the process lives, and is to: a loop that hangs will not come back.
  var liveness: Response {
    guard let desk = context.desk else { return Response(probed: context.liveness) }
    guard let inspection = desk.server.inspection else { return Response(probed: .notRunning) }
    return Response(probed: inspection.context.liveness, inspection.details)
  }

  /// Whether a load balancer is to send clients here.
  var readiness: Response {
    guard let desk = context.desk else { return Response(probed: context.readiness(at: loop.now)) }
    guard let inspection = desk.server.inspection else { return Response(probed: .notRunning) }
    return Response(probed: inspection.context.readiness(at: loop.now), inspection.details)
  }
}

extension Response {
  /// An answer with what an operator wants to know besides.
  ///
  /// - Parameters:
  ///   - answer: the word.
  ///   - details: members of a JSON object.
  fileprivate init(probed answer: ProbeAnswer, _ details: [(name: String, value: JSONValue)]) {
    var json = JSONWriter()
    json.beginObject()
    json.key("status")
    json.string(answer.word)
    for (name, value) in details {
      json.key(name)
      json.raw(Array(value.text.utf8))
    }
    json.endObject()
    self.init(
      status: answer.status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: json.bytes)
  }
}
