/// Reads the body of a request: of a length that was announced, or in chunks (RFC 9112 §6 and §7.1).
///
/// Memory grows with what has come, never with what was announced. A chunk's extensions and the trailer fields are checked
/// and left out.
///
/// | state | what comes | next state |
/// |---|---|---|
/// | `length` | so many bytes | `done` |
/// | `chunkSize` | a line: a size, maybe extensions | `chunk`, or `trailers` after size 0 |
/// | `chunk` | so many bytes | `chunkEnd` |
/// | `chunkEnd` | an empty line | `chunkSize` |
/// | `trailers` | a field | `trailers` |
/// | `trailers` | an empty line | `done` |
struct BodyReader: Sendable {
  private enum State {
    case length(Int)
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailers(bytes: Int)
    case done
  }

  /// The longest line with a chunk's size, in bytes: 16 digits, and extensions that nobody uses.
  private static let chunkSizeLine = 256

  private let limits: HTTPLimits
  /// The longest body that is taken.
  private let longest: Int
  private var state: State
  /// Nil if the body is only passed over.
  private var body: [UInt8]?
  /// Bytes of the body that have come.
  private var count = 0
  /// Bytes of extensions that have come, and of needless zeros: they have the room of a head.
  private var extensionBytes = 0
  private var trailerCount = 0
  /// How far the present line was searched for its end.
  private var searched = 0

  /// A reader of a request's body.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - limits: how large it may be.
  ///   - keepsBody: whether the body is wanted.
  /// - Throws: ``HTTPError`` with 413 if more is announced than is taken.
  init(_ head: RequestHead, limits: HTTPLimits, keepsBody: Bool) throws(HTTPError) {
    self.limits = limits
    longest = keepsBody ? limits.keptBodyBytes : limits.bodyBytes
    body = keepsBody ? [] : nil
    if head.headers["Transfer-Encoding"] != nil {
      state = .chunkSize
    } else {
      let length = head.contentLength ?? 0
      state = length == 0 ? .done : .length(length)
      try makeSure(length, fitsInto: longest)
    }
  }

  /// Takes what there is of the body.
  ///
  /// - Parameter buffer: what the peer sent; nothing beyond the body is consumed.
  /// - Returns: the whole body, empty if it is only passed over; nil while bytes of it are missing.
  /// - Throws: ``HTTPError``: 400 for what is malformed, 413 beyond the limit, 431 for too many trailer fields.
  mutating func read(from buffer: inout ReceiveBuffer) throws(HTTPError) -> [UInt8]? {
    while true {
      switch state {
      case .done: return body ?? []
      case .length(let rest):
        guard take(rest, from: &buffer) else { return nil }
        state = .done
      case .chunk(let rest):
        guard take(rest, from: &buffer) else { return nil }
        state = .chunkEnd
      case .chunkSize:
        let line = try nextLine(of: &buffer, limit: Self.chunkSizeLine) { (line) throws(HTTPError) in
          (size: try Self.chunkSize(line), length: line.count)
        }
        guard let (size, length) = line else { return nil }
        let digits = max(1, (Int.bitWidth - size.leadingZeroBitCount + 3) / 4)
        extensionBytes += length - digits
        // RFC 9112 §7.1.1 wants a limit.
        guard extensionBytes <= limits.headerBytes else { throw Self.extensionsTooLarge }
        try makeSure(size, fitsInto: longest - count)
        state = size == 0 ? .trailers(bytes: 0) : .chunk(size)
      case .chunkEnd:
        let isEmpty = try nextLine(of: &buffer, limit: 2) { line in line.isEmpty }
        guard let isEmpty else { return nil }
        guard isEmpty else { throw Self.overlongChunk }
        state = .chunkSize
      case .trailers(let bytes):
        let size = try nextLine(of: &buffer, limit: limits.headerBytes - bytes) { (line) throws(HTTPError) -> Int in
          if line.isEmpty { return 0 }
          var field = HeaderFields()
          try field.append(parsing: line)
          return line.count + 2
        }
        guard let size else { return nil }
        if size == 0 {
          state = .done
        } else {
          trailerCount += 1
          guard trailerCount <= limits.headerCount else { throw Self.trailersTooLarge }
          state = .trailers(bytes: bytes + size)
        }
      }
    }
  }

  /// Moves bytes into the body.
  ///
  /// - Returns: whether all of them were there; if not, the state says how many are missing.
  private mutating func take(_ wanted: Int, from buffer: inout ReceiveBuffer) -> Bool {
    let available = min(wanted, buffer.count)
    if body != nil {
      buffer.withUnread { bytes in
        bytes.extracting(..<available).withUnsafeBufferPointer { body?.append(contentsOf: $0) }
      }
    }
    count += available
    buffer.consume(available)
    if case .chunk = state { state = .chunk(wanted - available) } else { state = .length(wanted - available) }
    return available == wanted
  }

  /// Takes the next line, if it is there whole.
  ///
  /// - Parameters:
  ///   - buffer: what the peer sent.
  ///   - limit: how long the line may be, its end included.
  ///   - read: makes something of the line without its end.
  /// - Returns: that; nil if the line's end is still to come.
  /// - Throws: ``HTTPError``, also what `read` throws.
  private mutating func nextLine<Result>(
    of buffer: inout ReceiveBuffer, limit: Int, _ read: (Span<UInt8>) throws(HTTPError) -> Result
  ) throws(HTTPError) -> Result? {
    var position = searched
    let found = try buffer.withUnread { (bytes) throws(HTTPError) -> (result: Result, size: Int)? in
      guard let end = try LineSearch.end(in: bytes, from: &position, upTo: min(bytes.count, limit)) else {
        if bytes.count >= limit { throw self.lineTooLong }
        return nil
      }
      return (try read(bytes.extracting(..<end)), end + 2)
    }
    searched = position
    guard let found else { return nil }
    searched = 0
    buffer.consume(found.size)
    return found.result
  }

  private static func chunkSize(_ line: Span<UInt8>) throws(HTTPError) -> Int {
    var size = 0
    var index = 0
    while index < line.count, let digit = HTTPGrammar.hexadecimalValue(line[index]) {
      let (shifted, overflow) = size.multipliedReportingOverflow(by: 16)
      size = overflow ? .max : shifted + digit
      index += 1
    }
    guard index > 0 else { throw .badRequest("A chunk has no size (RFC 9112 §7.1).") }
    if index < line.count { try checkExtensions(line.extracting(index...)) }
    return size
  }

  /// Unknown extensions are ignored (RFC 9112 §7.1.1); whitespace around their `;` and `=` is bad, and allowed.
  private static func checkExtensions(_ text: Span<UInt8>) throws(HTTPError) {
    var scanner = FieldScanner(text)
    scanner.skipWhitespace()
    guard scanner.next == UInt8(ascii: ";"), scanner.parameters() != nil, scanner.next == nil,
      !HTTPGrammar.isWhitespace(text[text.count - 1])
    else { throw .badRequest("A chunk's size is followed by something else than an extension (RFC 9112 §7.1.1).") }
  }

  private func makeSure(_ size: Int, fitsInto room: Int) throws(HTTPError) {
    guard size <= room else { throw contentTooLarge }
  }

  private var lineTooLong: HTTPError {
    switch state {
    case .chunkEnd: Self.overlongChunk
    case .trailers: Self.trailersTooLarge
    default: .badRequest("A line with a chunk's size is longer than \(Self.chunkSizeLine) bytes.")
    }
  }

  private static var overlongChunk: HTTPError { .badRequest("A chunk is longer than its size says (RFC 9112 §7.1).") }
  private static var extensionsTooLarge: HTTPError { .badRequest("The extensions of the chunks are too large.") }
  private var contentTooLarge: HTTPError {
    HTTPError(status: .contentTooLarge, reason: "The body is longer than \(longest) bytes.")
  }
  private static var trailersTooLarge: HTTPError {
    HTTPError(status: .requestHeaderFieldsTooLarge, reason: "The trailer section is too large or has too many fields.")
  }
}
