import WireHTTP

// However the bytes are cut, a reader says the same; it keeps no more than its limits; what it accepts it accepts again
// when it is written.

extension FuzzTarget {
  /// Small, so that inputs reach them.
  private static let limits = HTTPLimits(requestLineBytes: 200, headerBytes: 400, headerCount: 8, bodyBytes: 300)
  /// A start line, a header section and an empty line before both.
  private static let mostUnread = 2 + 200 + 400

  /// What a request consists of.
  private enum RequestPart: Equatable {
    case head(RequestHead)
    case body([UInt8])
  }

  /// Requests: their heads, the WebSocket handshake that they may be, and their bodies.
  static let requests = FuzzTarget(name: "requests") { bytes in
    let hearing = try hear(bytes) {
      var reader = RequestReader(limits: limits)
      var isInBody = false
      return { (buffer) throws(HTTPError) -> RequestPart? in
        if isInBody {
          guard let body = try reader.nextBody(from: &buffer) else { return nil }
          isInBody = false
          return .body(body)
        }
        guard let head = try reader.nextHead(from: &buffer) else { return nil }
        isInBody = true
        return .head(head)
      }
    }
    for part in hearing.events.map(\.event) {
      switch part {
      case .head(let head): try check(head)
      case .body(let body): try require(body.count <= 300, "a body is beyond the limit")
      }
    }
  }

  private static func check(_ head: RequestHead) throws {
    try require(head.headers.count <= 8 && head.target.utf8.count <= 200, "a head is beyond the limits")
    _ = try? WebSocketHandshake.answer(head, subprotocols: ["riblet.v1.json"])
    let lines = ["\(head.method) \(head.target) HTTP/1.\(head.minorVersion)"] + head.headers.lines
    try requireSame(head, in: lines) { buffer throws(HTTPError) in
      var reader = RequestReader()
      return try reader.nextHead(from: &buffer)
    }
  }

  /// Heads of responses.
  static let responses = FuzzTarget(name: "responses") { bytes in
    let hearing = try hear(bytes) {
      var reader = ResponseReader(limits: limits)
      return { (buffer) throws(HTTPError) in try reader.nextHead(from: &buffer) }
    }
    for head in hearing.events.map(\.event) {
      // A byte that is no text has become a character.
      try require(head.headers.count <= 8 && head.reason.unicodeScalars.count <= 200, "a head is beyond the limits")
      let lines = ["HTTP/1.\(head.minorVersion) \(head.status.rawValue) \(head.reason)"] + head.headers.lines
      try requireSame(head, in: lines) { buffer throws(HTTPError) in
        var reader = ResponseReader()
        return try reader.nextHead(from: &buffer)
      }
    }
  }

  /// What a reader says of the bytes, the same however they are cut.
  private static func hear<Head: Equatable>(
    _ bytes: [UInt8], _ makeReader: () -> (inout ReceiveBuffer) throws(HTTPError) -> Head?
  ) throws -> Hearing<Head> {
    let whole = try Hearing<Head>(Cut.whole.pieces(of: bytes), mostUnread: mostUnread, makeReader())
    for cut in Cut.allCases where cut != .whole {
      let hearing = try Hearing<Head>(cut.pieces(of: bytes), mostUnread: mostUnread, makeReader())
      try require(hearing == whole, "cut into \(cut): \(hearing) and not \(whole)")
    }
    return whole
  }

  private static func requireSame<Head: Equatable>(
    _ head: Head, in lines: [String], _ read: (inout ReceiveBuffer) throws(HTTPError) -> Head?
  ) throws {
    let text = lines.map { $0 + "\r\n" }.joined() + "\r\n"
    // A field may hold bytes that are no text, which its value does not keep.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
    var buffer = ReceiveBuffer()
    buffer.append(Array(text.utf8).span)
    let again = try requireSuccess("what was read is refused when it is written: \(text)") { try read(&buffer) }
    try require(again == head && buffer.isEmpty, "\(head) becomes \(String(describing: again))")
  }
}

extension HeaderFields {
  fileprivate var lines: [String] { fields.map { "\($0.name): \($0.value)" } }
}
