import Logging
import Wire

extension Connection {
  /// Reads the next request, or more of it, and answers it.
  ///
  /// - Returns: whether there may be another one in what was received.
  func processRequest() -> Bool {
    do throws(HTTPError) {
      if request == nil {
        guard let head = try requests.nextHead(from: &input) else { return false }
        request = head
        begin(.body)
        // A client that has sent the body already need not be told.
        if head.expectsContinue, input.isEmpty {
          _ = try Endpoint.find(for: head, context.settings)
          Response(status: .continue).write(into: &output.bytes, keepAlive: true, omitBody: true)
        }
      }
      guard let head = request, try requests.nextBody(from: &input) != nil else { return false }
      request = nil
      answer(head)
    } catch {
      // Where the next request begins is not known.
      refuse(error, keepAlive: false, request)
    }
    return true
  }

  /// Answers a request that is there whole.
  private func answer(_ head: RequestHead) {
    do throws(HTTPError) {
      switch try Endpoint.find(for: head, context.settings) {
      case .socket: try upgrade(head, to: .greeting, subprotocols: [subprotocol])
      case .echo: try upgrade(head, to: .echo, subprotocols: [])
      case .health:
        let headers: HeaderFields = ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"]
        respond(Response(status: .ok, headers: headers, body: Array("ok\n".utf8)), to: head)
      case nil: respond(Endpoint.options(for: head.path), to: head)
      }
    } catch {
      refuse(error, keepAlive: head.keepsAlive, head)
    }
  }

  private func refuse(_ error: HTTPError, keepAlive: Bool, _ head: RequestHead?) {
    context.logger.debug(
      "A request was refused.", metadata: ["status": "\(error.status.rawValue)", "reason": "\(error.reason)"])
    respond(Response(problem: error), keepAlive: keepAlive, to: head)
  }

  /// Puts a response on its way.
  private func respond(_ response: Response, to head: RequestHead) {
    respond(response, keepAlive: head.keepsAlive, to: head)
  }

  private func respond(_ response: Response, keepAlive: Bool, to head: RequestHead?) {
    var response = head.map { response.compressed(for: $0) } ?? response
    // Who speaks HTTP/1.0 expects to be told (RFC 9112 §9.3).
    if keepAlive, head?.minorVersion == 0 { response.headers.append(name: "Connection", value: "keep-alive") }
    response.write(
      into: &output.bytes, keepAlive: keepAlive, omitBody: head?.method == "HEAD", date: loop.date)
    if keepAlive { begin(.idle) } else { finish() }
  }

  /// Ends a connection that brings no request, or not the whole of it.
  func requestTimedOut() {
    guard phase != .idle, request != nil || !input.isEmpty else { return finish() }
    let error = HTTPError(status: .requestTimeout, reason: "The request did not arrive in time.")
    respond(Response(problem: error), keepAlive: false, to: request)
  }

  /// Says that there are too many connections, and ends this one.
  func turnAway() {
    let error = HTTPError(
      status: .serviceUnavailable, reason: "There are too many connections.", headers: ["Retry-After": "5"])
    refuse(error, keepAlive: false, nil)
    flush()
  }
}
