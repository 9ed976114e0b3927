/// The notes of tracing systems about a request's trace: the list in its fields `tracestate` (W3C Trace Context §3.3).
package struct TraceState: Equatable, Sendable {
  /// The list, as it is passed on: its fields in order, with commas between them.
  package let text: String

  /// Reads a request's fields; nil if there are none, or if they are wrong: then nothing of them counts.
  ///
  /// - Parameter headers: the request's.
  package init?(of headers: HeaderFields) {
    // §3.3.1.1: 32 members at most, and of each key one.
    let members = Array(headers.elements(of: "tracestate").lazy.filter { !$0.isEmpty }.prefix(33))
    guard 1...32 ~= members.count else { return nil }
    var keys: Set<Substring> = []  // safe text: ASCII
    for member in members {
      guard let sign = member.utf8.firstIndex(of: UInt8(ascii: "=")), Self.isKey(member.utf8[..<sign]),
        Self.isValue(member.utf8[sign...].dropFirst()), keys.insert(member[..<sign]).inserted
      else { return nil }
    }
    text = members.joined(separator: ",")
  }

  /// §3.3.1.3.1: a name of up to 256 characters that begins with a letter; or a tenant of up to 241, an at sign, and a system of up to 14.
  private static func isKey(_ key: Substring.UTF8View) -> Bool {
    let parts = key.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return isName(parts[0], 256) && isLetter(parts[0].first)
    case 2:
      return isName(parts[0], 241) && (isLetter(parts[0].first) || isDigit(parts[0].first))
        && isName(parts[1], 14) && isLetter(parts[1].first)
    default: return false
    }
  }

  private static func isName(_ name: Substring.UTF8View, _ limit: Int) -> Bool {
    1...limit ~= name.count && name.allSatisfy { isLetter($0) || isDigit($0) || "_-*/".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8?) -> Bool {
    byte.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 } ?? false
  }
  private static func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
  }

  /// §3.3.1.3.2: up to 256 printable characters of ASCII without the comma and the equals sign; the last one is no space.
  private static func isValue(_ value: Substring.UTF8View) -> Bool {
    1...256 ~= value.count && value.last != UInt8(ascii: " ")
      && value.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
  }
}
