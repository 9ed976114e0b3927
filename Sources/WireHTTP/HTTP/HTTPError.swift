/// What the peer did wrong, with the status to answer it with.
///
/// ``Response/init(problem:)`` renders it. A client has nothing to answer: there `reason` is for the log.
package struct HTTPError: Error, Equatable, Sendable {
  /// The status of the answer.
  package var status: HTTPStatus
  /// What is wrong, for a person; it goes to the peer as the problem's `detail`.
  package var reason: String
  /// Fields that an answer with this status must carry, such as `Allow` with 405.
  package var headers: HeaderFields

  /// The refusal of what a peer sent.
  ///
  /// - Parameters:
  ///   - status: the status of the answer.
  ///   - reason: what is wrong; the peer gets to read it.
  ///   - headers: fields that the answer must carry.
  package init(status: HTTPStatus, reason: String, headers: HeaderFields = [:]) {
    self.status = status
    self.reason = reason
    self.headers = headers
  }

  /// A 400.
  static func badRequest(_ reason: String) -> HTTPError {
    HTTPError(status: .badRequest, reason: reason)
  }
}
