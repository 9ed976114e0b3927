import RibMetrics
import Synchronization
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
    // It is there until its loop has forgotten it: a second at most is no long wait.
    inspection.writeMetrics { [self, loop] text in
      let response = Response(
        status: .ok, headers: ["Content-Type": PrometheusText.contentType, "Cache-Control": "no-store"], body: text)
      loop.execute { self.didAnswer(response) }
    }
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

/// What a probe is told.
struct ProbeAnswer {
  /// What counts.
  let status: HTTPStatus
  /// The same for a person.
  let word: String

  /// The server shown does not run.
  static let notRunning = ProbeAnswer(status: .serviceUnavailable, word: "stopped")
}

extension ServerContext {
  /// Whether the process lives, and is to.
  var liveness: ProbeAnswer {
    lateLoopCount.load(ordering: .relaxed) == 0
      ? ProbeAnswer(status: .ok, word: "live") : ProbeAnswer(status: .serviceUnavailable, word: "hanging")
  }

  /// Whether a load balancer is to send clients here.
  ///
  /// haproxy leaves a server's connections alone that answers 404 (`disable-on-404`), and cuts those of one that answers otherwise.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  /// - Returns: the answer.
  func readiness(at now: UInt64) -> ProbeAnswer {
    if isDraining.load(ordering: .relaxed) { return ProbeAnswer(status: .notFound, word: "draining") }
    if cluster?.isCutOff(at: now) == true { return ProbeAnswer(status: .serviceUnavailable, word: "cut off") }
    return ProbeAnswer(status: .ok, word: "ready")
  }
}

extension Response {
  /// An answer of one word.
  init(probed answer: ProbeAnswer) {
    self.init(
      status: answer.status, headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
      body: Array("\(answer.word)\n".utf8))
  }

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
