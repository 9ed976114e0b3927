/// An address of the internet: 16 bytes, as IPv6 has them.
///
/// One of IPv4 is written as one of IPv6 that stands for it (RFC 4291 §2.5.5.2), and equals it.
package struct IPAddress: Hashable, Sendable, BitwiseCopyable {
  /// The first eight bytes: of IPv6 the network.
  package let high: UInt64
  /// The last eight bytes.
  package let low: UInt64

  /// What stands before an IPv4 address in `low`.
  private static let mappedPrefix: UInt64 = 0xFFFF << 32

  /// An address.
  ///
  /// - Parameter bytes: 4 of IPv4 or 16 of IPv6; nil for any other number.
  package init?(_ bytes: some Collection<UInt8>) {
    let number = { (bytes: any Collection<UInt8>) in bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self.init(high: 0, low: Self.mappedPrefix | number(bytes))
    case 16: self.init(high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
    default: return nil
    }
  }

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Whether it is one of IPv4.
  package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// Whether it is this machine's own: 127.0.0.0/8 or `::1`.
  package var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

  /// The bit at a position, from the first one of the 128.
  func bit(_ position: Int) -> Bool {
    position < 64 ? high >> (63 - position) & 1 == 1 : low >> (127 - position) & 1 == 1
  }
}

// MARK: Text

extension IPAddress: CustomStringConvertible {
  /// An address in its text form: four numbers (RFC 3986 §3.2.2), or groups of digits (RFC 4291 §2.2).
  ///
  /// - Parameter text: without brackets, port or zone; nil if it is none.
  package init?(text: some StringProtocol) {
    let bytes = Array(text.utf8)[...]
    guard let address = Self.parseIPv4(bytes) ?? Self.parseIPv6(bytes) else { return nil }
    self = address
  }

  /// Four numbers up to 255, without leading zeros.
  static func parseIPv4(_ bytes: ArraySlice<UInt8>) -> IPAddress? {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var numbers: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy(HTTPGrammar.isDigit),
        part.count == 1 || part.first != UInt8(ascii: "0"),
        let number = UInt8(exactly: part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
      else { return nil }
      numbers.append(number)
    }
    return IPAddress(numbers)
  }

  /// Eight groups of up to four digits, of which a row may be left out as `::`; the last two may be an IPv4 address.
  static func parseIPv6(_ bytes: ArraySlice<UInt8>) -> IPAddress? {
    var rest = bytes
    var groups: [UInt16] = []
    /// Where the row is left out.
    var gap: Int?
    if rest.starts(with: "::".utf8) {
      gap = 0
      rest = rest.dropFirst(2)
    }
    while !rest.isEmpty || groups.isEmpty && gap == nil {
      let digits = rest.prefix { HTTPGrammar.hexadecimalValue($0) != nil }
      let next = rest[digits.endIndex...]
      if next.first == UInt8(ascii: ".") {
        guard let last = parseIPv4(rest) else { return nil }
        groups += [UInt16(truncatingIfNeeded: last.low >> 16), UInt16(truncatingIfNeeded: last.low)]
        break
      }
      guard 1...4 ~= digits.count, groups.count < 8 else { return nil }
      groups.append(digits.reduce(0) { $0 << 4 | UInt16(HTTPGrammar.hexadecimalValue($1) ?? 0) })
      if next.isEmpty { break }
      rest = next.dropFirst()
      guard next.first == UInt8(ascii: ":"), !rest.isEmpty else { return nil }
      if rest.first == UInt8(ascii: ":") {
        guard gap == nil else { return nil }
        gap = groups.count
        rest = rest.dropFirst()
      }
    }
    guard gap == nil ? groups.count == 8 : groups.count < 8 else { return nil }
    groups.insert(contentsOf: Array(repeating: 0, count: 8 - groups.count), at: gap ?? 0)
    return IPAddress(groups.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
  }

  /// The address as it is written: an IPv6 address in small letters, its longest row of zeros left out (RFC 5952 §4).
  package var description: String {
    if isIPv4 { return (0..<4).map { "\(low >> (24 - 8 * $0) & 0xFF)" }.joined(separator: ".") }
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> (48 - 16 * ($0 % 4))) }
    let written = { (groups: ArraySlice<UInt16>) in
      groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard let zeros = Self.longestZeros(in: groups) else { return written(groups[...]) }
    return "\(written(groups[..<zeros.lowerBound]))::\(written(groups[zeros.upperBound...]))"
  }

  /// The first of the longest rows of two groups or more that are 0.
  private static func longestZeros(in groups: [UInt16]) -> Range<Int>? {
    var longest = 0..<1
    var start = 0
    for index in 0...groups.count where index == groups.count || groups[index] != 0 {
      if index - start > longest.count { longest = start..<index }
      start = index + 1
    }
    return longest.count > 1 ? longest : nil
  }
}
