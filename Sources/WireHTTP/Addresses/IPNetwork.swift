/// Addresses that begin with the same bits, as `10.0.0.0/8`; one address is a network of itself.
package struct IPNetwork: Hashable, Sendable {
  private let address: IPAddress
  /// How many of the 128 bits are the same.
  private let length: Int

  /// A network in its text form (RFC 4632 §3.1, RFC 4291 §2.3).
  ///
  /// - Parameter text: an address, or one with `/` and the number of its bits that count; nil for something else, also if bits
  ///   that do not count are set.
  package init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(text: parts[0]) else { return nil }
    let bits = address.isIPv4 ? 32 : 128
    guard parts.count == 2 else {
      self.init(address: address, length: 128)
      return
    }
    guard parts[1].utf8.allSatisfy(HTTPGrammar.isDigit), let prefix = Int(parts[1]), prefix <= bits else { return nil }
    self.init(address: address, length: 128 - bits + prefix)
    guard (length..<128).allSatisfy({ !address.bit($0) }) else { return nil }
  }

  private init(address: IPAddress, length: Int) {
    self.address = address
    self.length = length
  }

  /// Whether an address is in the network.
  package func contains(_ other: IPAddress) -> Bool {
    let (high, low) = (address.high ^ other.high, address.low ^ other.low)
    return length <= 64 ? high >> (64 - UInt64(length)) == 0 : high == 0 && low >> (128 - UInt64(length)) == 0
  }
}
