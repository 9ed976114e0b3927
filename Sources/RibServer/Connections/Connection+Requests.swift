import Logging
import Wire

extension Connection {
  /// What there is to ask for.
  private enum Path {
    static let health = "/healthz"
    static let socket = "/v1/socket"
    static let echo = "/echo"
  }

  /// Answers the next request.
  ///
  /// - Returns: whether there may be another one in what was received.
  func processRequest() -> Bool {
    var isHead = false
    do throws(HTTPError) {
      guard let head = try requests.nextHead(from: &input) else { return false }
      isHead = head.method == "HEAD"
      try answer(head)
      return true
    } catch {
      context.logger.debug(
        "A request was refused.", metadata: ["status": "\(error.status.rawValue)", "reason": "\(error.reason)"])
      return respond(Response(problem: error), keepAlive: false, omitBody: isHead)
    }
  }

  private func answer(_ head: RequestHead) throws(HTTPError) {
    switch head.path {
    case Path.socket: try upgrade(head, to: .greeting, subprotocols: [subprotocol])
    case Path.echo where context.settings.echo: try upgrade(head, to: .echo, subprotocols: [])
    case Path.health:
      guard head.method == "GET" || head.method == "HEAD" else {
        throw HTTPError(status: .methodNotAllowed, reason: "Use GET or HEAD.", headers: ["Allow": "GET, HEAD"])
      }
      var headers: HeaderFields = ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"]
      if head.minorVersion == 0, head.keepsAlive { headers.append(name: "Connection", value: "keep-alive") }
      // A body is not read: what follows it could not be told from it.
      let response = Response(status: .ok, headers: headers, body: Array("ok\n".utf8))
      respond(response, keepAlive: head.keepsAlive && !head.hasBody, omitBody: head.method == "HEAD")
    default:
      throw HTTPError(status: .notFound, reason: "There is nothing at \(head.path).")
    }
  }

  /// Puts a response on its way.
  ///
  /// - Returns: whether the connection goes on.
  @discardableResult
  private func respond(_ response: Response, keepAlive: Bool, omitBody: Bool = false) -> Bool {
    response.write(into: &output.bytes, keepAlive: keepAlive, omitBody: omitBody)
    restartDeadline()
    if !keepAlive { finish() }
    return keepAlive
  }

  /// Ends a connection that brings no request, or not the whole of it.
  func requestTimedOut() {
    guard !input.isEmpty else { return finish() }
    let error = HTTPError(status: .requestTimeout, reason: "The request did not arrive in time.")
    respond(Response(problem: error), keepAlive: false)
  }
}
