/// What ``HeadParser`` needs to know of the kind of head that it reads.
protocol MessageHead: Sendable {
  /// What the head's first line says.
  associatedtype StartLine: Sendable

  /// Whether an empty line before the head is skipped.
  static var mayFollowEmptyLine: Bool { get }

  /// The refusal of a start line that is too long.
  static var startLineTooLong: HTTPError { get }

  /// Reads the first line, given without its line end.
  ///
  /// - Throws: ``HTTPError`` if it is not one.
  static func parseStartLine(_ line: Span<UInt8>) throws(HTTPError) -> StartLine

  /// Makes the head from its parts.
  ///
  /// - Throws: ``HTTPError`` if the fields contradict the start line or each other.
  init(startLine: StartLine, headers: HeaderFields) throws(HTTPError)
}
