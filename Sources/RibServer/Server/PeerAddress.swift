#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a connection comes from, as far as it is counted: an IPv4 address, or the network of an IPv6 address.
///
/// Of IPv6 it is the first 64 bits: one host has all the addresses that begin with them.
struct PeerAddress: Hashable {
  private let bits: UInt64
  private let isIPv6: Bool

  /// An address.
  ///
  /// - Parameter bytes: 4 of IPv4 or 16 of IPv6; an IPv4 address written as one of IPv6 is one of IPv4.
  init?(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    let isMapped = bytes.count == 16 && bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    switch bytes.count {
    case 4: (bits, isIPv6) = (Self.number(bytes[...]), false)
    case 16 where isMapped: (bits, isIPv6) = (Self.number(bytes[12...]), false)
    case 16: (bits, isIPv6) = (Self.number(bytes[..<8]), true)
    default: return nil
    }
  }

  /// The address at the other end of a socket.
  ///
  /// Nil if it has none, or none of the internet.
  ///
  /// - Parameter descriptor: the socket.
  init?(of descriptor: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    guard status == 0 else { return nil }
    let bytes = withUnsafeBytes(of: &storage) { Array($0) }
    switch Int32(storage.ss_family) {
    case AF_INET:
      guard let offset = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) else { return nil }
      self.init(bytes[offset..<offset + 4])
    case AF_INET6:
      guard let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) else { return nil }
      self.init(bytes[offset..<offset + 16])
    default: return nil
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
