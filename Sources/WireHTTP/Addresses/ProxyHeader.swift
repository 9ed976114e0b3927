/// What a proxy says in front of a connection: the PROXY protocol of HAProxy, versions 1 and 2.
///
/// It says whom the proxy has the connection from; all that is behind it the client has sent.
package struct ProxyHeader: Equatable, Sendable {
  /// The client's address; nil if the proxy speaks for itself, as to see whether the server is there, or does not know it.
  package let source: IPAddress?

  /// The longest line of version 1, with its end.
  private static let longestLine = 107
  /// What version 1 begins with.
  private static let lineStart = Array("PROXY ".utf8)
  /// What version 2 begins with.
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

  /// Takes the header from the front of what was received.
  ///
  /// - Parameter buffer: what was received; nothing is taken before the header is there whole.
  /// - Returns: the header; nil if more has to come.
  /// - Throws: ``HTTPError`` with 400 if it is none.
  package static func next(from buffer: inout ReceiveBuffer) throws(HTTPError) -> ProxyHeader? {
    let read = try buffer.withUnread { bytes throws(HTTPError) in
      try starts(bytes, with: signature)
        ? readBinary(bytes)
        : starts(bytes, with: lineStart) ? readLine(bytes) : refuse("It begins with neither version's.")
    }
    guard let (header, count) = read else { return nil }
    buffer.consume(count)
    return header
  }

  /// Whether the bytes are, or may become, what begins so.
  private static func starts(_ bytes: Span<UInt8>, with start: [UInt8]) -> Bool {
    for index in 0..<min(bytes.count, start.count) where bytes[index] != start[index] { return false }
    return true
  }

  private static func refuse<Result>(_ reason: String) throws(HTTPError) -> Result {
    throw .badRequest("The connection has to begin with a header of the PROXY protocol. \(reason)")
  }

  // MARK: Version 1

  /// `PROXY TCP4 192.0.2.1 192.0.2.2 56324 443` and the end of the line.
  private static func readLine(_ bytes: Span<UInt8>) throws(HTTPError) -> (ProxyHeader, Int)? {
    var line: [UInt8] = []
    while line.count < min(bytes.count, longestLine), line.last != HTTPGrammar.lineFeed {
      line.append(bytes[line.count])
    }
    guard line.last == HTTPGrammar.lineFeed else {
      return line.count < longestLine ? nil : try refuse("The line is longer than \(longestLine) bytes.")
    }
    guard line.dropLast().last == HTTPGrammar.carriageReturn else { return try refuse("The line ends with a bare LF.") }
    let words = line.dropLast(2).split(separator: HTTPGrammar.space, omittingEmptySubsequences: false)
    if words.count >= 2, words[1].elementsEqual("UNKNOWN".utf8) { return (ProxyHeader(source: nil), line.count) }
    guard words.count == 6, isPort(words[4]), isPort(words[5]) else {
      return try refuse("The line has not its six words.")
    }
    let parse: (ArraySlice<UInt8>) -> IPAddress?
    switch String(decoding: words[1], as: UTF8.self) {
    case "TCP4": parse = IPAddress.parseIPv4
    case "TCP6": parse = IPAddress.parseIPv6
    default: return try refuse("The protocol is neither TCP4 nor TCP6 nor UNKNOWN.")
    }
    guard let source = parse(words[2]), parse(words[3]) != nil else {
      return try refuse("An address of the line is none.")
    }
    return (ProxyHeader(source: source), line.count)
  }

  private static func isPort(_ word: ArraySlice<UInt8>) -> Bool {
    (1...5).contains(word.count) && word.allSatisfy(HTTPGrammar.isDigit)
      && UInt16(String(decoding: word, as: UTF8.self)) != nil
  }

  // MARK: Version 2

  /// The signature, version and command, family and protocol, the length of the rest, addresses, and extensions, which are skipped.
  private static func readBinary(_ bytes: Span<UInt8>) throws(HTTPError) -> (ProxyHeader, Int)? {
    guard bytes.count >= 16 else { return nil }
    guard bytes[12] >> 4 == 2, bytes[12] & 0xF <= 1 else { return try refuse("There is no such version or command.") }
    let count = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
    // The rest need not be there for it to be wrong.
    let isLocal = bytes[12] & 0xF == 0
    let size: Int
    switch bytes[13] >> 4 {
    case 1: size = 4
    case 2: size = 16
    default: size = 0
    }
    guard isLocal || size == 0 || count >= 16 + 2 * size + 4 else { return try refuse("Its addresses do not fit in.") }
    guard bytes.count >= count else { return nil }
    guard !isLocal, size > 0 else { return (ProxyHeader(source: nil), count) }
    return (ProxyHeader(source: IPAddress((16..<16 + size).map { bytes[$0] })), count)
  }
}
