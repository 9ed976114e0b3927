/// What the peer did wrong, with the status to answer it with.
///
/// ``Response/init(problem:)`` renders it. A client has nothing to answer: there `reason` is for the log.
package struct HTTPError: Error, Equatable, Sendable {
  /// The status of the answer.
  package var status: HTTPStatus
  /// What is wrong, for a person; it goes to the peer as the problem's `detail`.
  package var reason: String
  /// Which problem it is, for a program, where the status does not say; nil for nothing.
  package var code: String?
  /// Fields that an answer with this status must carry, such as `Allow` with 405.
  package var headers: HeaderFields

  /// The refusal of what a peer sent.
  ///
  /// - Parameters:
  ///   - status: the status of the answer.
  ///   - reason: what is wrong; the peer gets to read it.
  ///   - code: which problem it is, for a program; nil for nothing.
  ///   - headers: fields that the answer must carry.
  package init(status: HTTPStatus, reason: String, code: String? = nil, headers: HeaderFields = [:]) {
    self.status = status
    self.reason = reason
    self.code = code
    self.headers = headers
  }

  /// A 400.
  package static func badRequest(_ reason: String) -> HTTPError {
    HTTPError(status: .badRequest, reason: reason)
  }
}
