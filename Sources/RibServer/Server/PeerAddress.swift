import WireHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What counts as one place that clients come from: an IPv4 address, or the network of an IPv6 address.
///
/// Of IPv6 it is the first 64 bits: one host has all the addresses that begin with them.
struct PeerAddress: Hashable {
  private let bits: UInt64
  private let isIPv6: Bool

  /// The place of an address.
  init(_ address: IPAddress) {
    (bits, isIPv6) = address.isIPv4 ? (address.low, false) : (address.high, true)
  }
}

extension IPAddress {
  /// The address at the other end of a socket; nil if it has none, or none of the internet.
  ///
  /// - Parameter descriptor: the socket.
  init?(peerOf descriptor: Int32) {
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
}
