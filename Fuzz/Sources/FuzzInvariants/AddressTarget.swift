import WireHTTP

extension FuzzTarget {
  /// What a proxy says in front of a connection, and addresses, origins and fields in text form.
  static let addresses = FuzzTarget(name: "addresses") { bytes in
    try checkProxyHeader(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    if let address = IPAddress(text: text) {
      try require(IPAddress(text: address.description) == address, "\(text) is written as \(address)")
      try require(IPNetwork(text: text)?.contains(address) == true, "\(text) is not in itself")
    }
    if let origin = WebOrigin(text) {
      try require(WebOrigin(origin.description) == origin, "\(text) is written as \(origin)")
      try require(OriginPattern(text)?.matches(origin) == true, "\(text) does not match itself")
    }
    try checkFields(text)
  }

  /// The header is the same however it is cut, and nothing is taken before it is there whole.
  private static func checkProxyHeader(_ bytes: [UInt8]) throws {
    let whole = Result { () throws(HTTPError) in try readProxyHeader(bytes, cut: bytes.count) }
    for cut in [1, 2, 13] {
      let cut = Result { () throws(HTTPError) in try readProxyHeader(bytes, cut: cut) }
      try require(cut == whole, "\(cut) and not \(whole)")
    }
    if case .success(let left) = whole, !left.isWhole { try require(left.unread == bytes.count, "bytes were taken") }
  }

  private struct ProxyHearing: Equatable {
    var source: IPAddress?
    var isWhole = false
    var unread = 0
  }

  private static func readProxyHeader(_ bytes: [UInt8], cut: Int) throws(HTTPError) -> ProxyHearing {
    var buffer = ReceiveBuffer()
    var hearing = ProxyHearing()
    for start in stride(from: 0, to: bytes.count, by: max(cut, 1)) {
      buffer.append(bytes[start..<min(start + max(cut, 1), bytes.count)].span)
      guard !hearing.isWhole, let header = try ProxyHeader.next(from: &buffer) else { continue }
      hearing.source = header.source
      hearing.isWhole = true
    }
    hearing.unread = buffer.count
    return hearing
  }

  /// What the proxy has written behind it decides, whatever a client has put into the field.
  private static func checkFields(_ text: String) throws {
    guard let peer = IPAddress(text: "10.0.0.1"), let client = IPAddress(text: "203.0.113.9"),
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return }
    let fields: [(ForwardedField, HeaderFields)] = [
      (.xForwardedFor, ["X-Forwarded-For": text + ", 203.0.113.9"]),
      (.forwarded, ["Forwarded": text + ", for=203.0.113.9"]),
    ]
    for (field, headers) in fields {
      let found = field.client(in: headers, from: peer) { $0 == peer }
      try require(found?.address == client, "\(headers) says \(String(describing: found))")
    }
  }
}
