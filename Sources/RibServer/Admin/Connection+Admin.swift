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
