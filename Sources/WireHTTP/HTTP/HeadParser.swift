/// Reads the head of a message: a start line, field lines, an empty line (RFC 9112 §2.1).
///
/// Lines are parsed as they become complete, and the search for the end of a line goes on where the last call left off,
/// so bytes that trickle in cost no more than bytes that come at once. Nothing is consumed before the head is whole, but
/// for an empty line before a request. A refusal advances nothing: the next call refuses again, and never reads on behind
/// it.
///
/// | state | line | next state |
/// |---|---|---|
/// | `startLine` | any | `fields` |
/// | `fields` | a field | `fields` |
/// | `fields` | empty | `startLine`, and the head is returned |
struct HeadParser<Head: MessageHead>: Sendable {
  private enum State {
    /// The start line comes next.
    case startLine
    /// Field lines come, up to an empty one; the header section began at `start`.
    case fields(Head.StartLine, start: Int)
  }

  private let limits: HTTPLimits
  private var state = State.startLine
  /// Whether an empty line before the head was passed over.
  private var hasSkippedLine = false
  /// The fields read so far, none in `startLine`.
  private var headers = HeaderFields()
  /// Where the present line begins, counted from the first unread byte, as all positions here.
  private var lineStart = 0
  /// How far the present line was searched for its end.
  private var searched = 0

  init(limits: HTTPLimits) {
    self.limits = limits
  }

  /// The next head, nil while bytes of it are missing; when there is one, it is consumed, and nothing beyond it.
  ///
  /// - Parameter buffer: what the peer sent. While a head is incomplete, nobody else may consume from it.
  /// - Returns: the head, or nil if more bytes are needed.
  /// - Throws: ``HTTPError`` if what came is no head or beyond the limits.
  mutating func nextHead(from buffer: inout ReceiveBuffer) throws(HTTPError) -> Head? {
    if Head.mayFollowEmptyLine, !hasSkippedLine { skipEmptyLine(of: &buffer) }
    let found = try buffer.withUnread { (bytes) throws(HTTPError) in try parse(bytes) }
    guard let found else { return nil }
    buffer.consume(found.size)
    self = HeadParser(limits: limits)
    return found.head
  }

  /// RFC 9112 §2.2: a server ignores at least one empty line before a request; some clients end a body with one.
  private mutating func skipEmptyLine(of buffer: inout ReceiveBuffer) {
    guard case .startLine = state, buffer.withUnread(Self.beginsWithEmptyLine) else { return }
    hasSkippedLine = true
    buffer.consume(2)
    searched = 0
  }

  /// Whether a head begins with `text`, be there an empty line before it or not.
  static func begins(_ bytes: Span<UInt8>, with text: StaticString) -> Bool {
    let start = beginsWithEmptyLine(bytes) ? 2 : 0
    guard bytes.count - start >= text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] { return false }
    return true
  }

  private static func beginsWithEmptyLine(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= 2 && bytes[0] == UInt8(ascii: "\r") && bytes[1] == UInt8(ascii: "\n")
  }

  /// Parses the lines that are whole.
  ///
  /// - Parameter bytes: all unread bytes.
  /// - Returns: the head and its size in bytes, or nil if more bytes are needed.
  /// - Throws: ``HTTPError`` as `nextHead` does.
  private mutating func parse(_ bytes: Span<UInt8>) throws(HTTPError) -> (head: Head, size: Int)? {
    while let line = try nextLine(in: bytes) {
      let end = line.upperBound + 2
      if let head = try accept(bytes.extracting(line), endingAt: end) { return (head, end) }
      lineStart = end
      searched = end
    }
    return nil
  }

  /// Takes one line.
  ///
  /// - Parameters:
  ///   - line: the line, without its line end.
  ///   - end: where the next line begins.
  /// - Returns: the head if this line completes it.
  /// - Throws: ``HTTPError`` if the line cannot stand here.
  private mutating func accept(_ line: Span<UInt8>, endingAt end: Int) throws(HTTPError) -> Head? {
    switch state {
    case .startLine:
      state = .fields(try Head.parseStartLine(line), start: end)
    case .fields(let startLine, start: _):
      if line.isEmpty { return try Head(startLine: startLine, headers: headers) }
      guard headers.count < limits.headerCount else { throw Self.headersTooLarge }
      try headers.append(parsing: line)
    }
    return nil
  }

  /// Where the present line is, without its line end.
  ///
  /// - Parameter bytes: all unread bytes.
  /// - Returns: its range, or nil if its end is still to come.
  /// - Throws: ``HTTPError`` for a bare CR or LF, or if the line cannot end within the limits any more.
  private mutating func nextLine(in bytes: Span<UInt8>) throws(HTTPError) -> Range<Int>? {
    let (limit, refusal) = lineLimit
    let lineEnd = try LineSearch.end(in: bytes, from: &searched, upTo: min(bytes.count, limit))
    if lineEnd == nil, bytes.count >= limit { throw refusal }
    return lineEnd.map { lineStart..<$0 }
  }

  /// Where the present line must have ended, and how to refuse one that has not.
  private var lineLimit: (end: Int, refusal: HTTPError) {
    let (start, size, refusal) =
      switch state {
      case .startLine: (lineStart, limits.requestLineBytes, Head.startLineTooLong)
      case .fields(_, let start): (start, limits.headerBytes, Self.headersTooLarge)
      }
    let (end, overflow) = start.addingReportingOverflow(size)
    return (overflow ? .max : end, refusal)
  }

  private static var headersTooLarge: HTTPError {
    HTTPError(status: .requestHeaderFieldsTooLarge, reason: "The header section is too large or has too many fields.")
  }
}
