import CZlib

/// Content codings of responses (RFC 9110 §8.4 and §12.5.3).
extension Response {
  /// The shortest body that is compressed, in bytes: a shorter one fits into the same packet either way.
  static let compressionThreshold = 512

  /// The shortest body that takes long to compress, in bytes: up to a millisecond, as the worst text takes 0.2 µs a byte.
  private static let longBody = 4_096

  /// Whether ``compressed(for:)`` takes longer than who serves others can wait for.
  ///
  /// - Parameter head: the request's.
  /// - Returns: whether a long body is to be compressed.
  package func isLongToCompress(for head: RequestHead) -> Bool {
    body.count >= Self.longBody && isWorthCompressing && head.headers.accepts(coding: "gzip")
  }

  /// The response as a client gets it: its body compressed with gzip if the client takes that and it makes it shorter.
  ///
  /// Only text, JSON, scripts and the like are compressed, and nothing that has a coding already, or is not to be transformed
  /// (RFC 9111 §5.2.2.6): an answer with a secret says so, as its length after compression could reveal the secret (BREACH). Where the body could be
  /// compressed, Vary says that this depends on the request.
  ///
  /// - Parameter head: the request's.
  /// - Returns: the response.
  package func compressed(for head: RequestHead) -> Response {
    guard isWorthCompressing else { return self }
    var response = self
    if headers["Vary"] == nil { response.headers.append(name: "Vary", value: "Accept-Encoding") }
    guard head.headers.accepts(coding: "gzip"), let gzipped = Self.gzip(body), gzipped.count < body.count else {
      return response
    }
    response.headers.append(name: "Content-Encoding", value: "gzip")
    response.body = gzipped
    return response
  }

  /// The body compressed with gzip as small as it gets, for what is kept; nil if it is not to be compressed, or does not
  /// become shorter.
  ///
  /// - Returns: the bytes.
  package func gzipped() -> [UInt8]? {
    guard isWorthCompressing, let gzipped = Self.gzip(body, level: Z_BEST_COMPRESSION) else { return nil }
    return gzipped.count < body.count ? gzipped : nil
  }

  private var isWorthCompressing: Bool {
    body.count >= Self.compressionThreshold && headers["Content-Encoding"] == nil && isCompressible
      && !headers.contains(token: "no-transform", in: "Cache-Control")
  }

  private var isCompressible: Bool {
    guard let type = headers["Content-Type"]?.prefix(while: { $0 != ";" && $0 != " " }).lowercased() else {
      return false
    }
    let whole = ["application/json", "application/javascript", "application/xml", "image/svg+xml"]
    return type.hasPrefix("text/") || type.hasSuffix("+json") || whole.contains(type)
  }

  /// The bytes in the format of gzip (RFC 1952); nil if zlib has no memory.
  private static func gzip(_ bytes: [UInt8], level: Int32 = Z_DEFAULT_COMPRESSION) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, and 16 for gzip's header and checksum in place of zlib's own.
    let status = deflateInit2_(
      &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let bound = Int(deflateBound(&stream, uLong(bytes.count)))
    return bytes.withUnsafeBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(bound)
        count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? bound - Int(stream.avail_out) : 0
      }
    }
  }
}

extension HeaderFields {
  /// Whether Accept-Encoding allows a coding (RFC 9110 §12.5.3).
  ///
  /// Without the field none is allowed here: a client that does not ask may not be able to read it.
  ///
  /// - Parameter coding: its name.
  /// - Returns: whether it has a weight above 0, by its name or by `*`.
  package func accepts(coding: String) -> Bool {
    var any = false
    for element in elements(of: "Accept-Encoding") {
      let bytes = element.utf8
      let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
      let name = bytes[..<end].filter { !HTTPGrammar.isWhitespace($0) }
      let isIt = name.elementsEqual(coding.utf8) { HTTPGrammar.lowercased($0) == HTTPGrammar.lowercased($1) }
      guard isIt || name.elementsEqual("*".utf8) else { continue }
      let isAllowed = end == bytes.endIndex || Self.isAboveZero(weight: bytes[end...].dropFirst())
      if isIt { return isAllowed }
      any = isAllowed
    }
    return any
  }

  /// Whether a weight is one, and not 0: `q=`, 0 or 1, and up to three digits behind a point (RFC 9110 §12.4.2).
  private static func isAboveZero(weight: Substring.UTF8View) -> Bool {
    let bytes = weight.filter { !HTTPGrammar.isWhitespace($0) }
    guard (3...7).contains(bytes.count), HTTPGrammar.lowercased(bytes[0]) == UInt8(ascii: "q"),
      bytes[1] == UInt8(ascii: "="), bytes.count != 4
    else { return false }
    let digits = bytes.dropFirst(4)
    guard bytes.count == 3 || bytes[3] == UInt8(ascii: "."), digits.allSatisfy(HTTPGrammar.isDigit) else {
      return false
    }
    let isZero = digits.allSatisfy { $0 == UInt8(ascii: "0") }
    switch bytes[2] {
    case UInt8(ascii: "0"): return !isZero
    case UInt8(ascii: "1"): return isZero
    default: return false
    }
  }
}
