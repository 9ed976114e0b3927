/// The place in a trace that a request comes from: what its field `traceparent` says (W3C Trace Context §3.2).
package struct TraceParent: Equatable, Sendable {
  /// The trace: 32 hexadecimal digits, in lower case.
  package let traceID: String
  /// The span in it that has caused the request: 16 digits.
  package let parentID: String
  /// Whether whoever has sent the request records the trace.
  package let isSampled: Bool

  /// Reads a field's value; nil if it is none of version 00, nor of a later version that begins as one does.
  ///
  /// - Parameter value: the value, as in `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
  package init?(_ value: String) {
    let bytes = Array(value.utf8)
    // 2 digits of the version, 32 of the trace, 16 of the parent and 2 of the flags, with hyphens between them.
    guard bytes.count >= Self.size, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
    let (version, trace, parent, flags) = (bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55])
    guard [version, trace, parent, flags].allSatisfy({ $0.allSatisfy(Self.isDigit) }) else { return nil }
    // §3.2.2.1: ff is no version, 00 has nothing behind the flags, and what a later one adds is behind another hyphen.
    guard !version.elementsEqual("ff".utf8) else { return nil }
    if bytes.count > Self.size {
      guard !version.elementsEqual("00".utf8), bytes[Self.size] == UInt8(ascii: "-") else { return nil }
    }
    // §3.2.2.3, §3.2.2.4: all zeros are no identifier.
    guard ![trace, parent].contains(where: { $0.allSatisfy { $0 == UInt8(ascii: "0") } }) else { return nil }
    traceID = String(decoding: trace, as: UTF8.self)
    parentID = String(decoding: parent, as: UTF8.self)
    isSampled = UInt8(String(decoding: flags, as: UTF8.self), radix: 16).map { $0 & 1 == 1 } ?? false
  }

  /// Reads a request's field; nil if there is none, more than one, or one that is wrong.
  ///
  /// - Parameter headers: the request's.
  package init?(of headers: HeaderFields) {
    guard let value = headers.only("traceparent") else { return nil }
    self.init(value)
  }

  private static let size = 55

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
  }
}
