package import WireHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The client of a connection or of a request, as far as its address tells.
package struct Caller: Equatable, Sendable {
  /// The address; nil if it has none, as of a local socket.
  package var address: IPAddress?
  /// Whether a trusted proxy has the connection, or the request, from somebody else.
  var isForwarded = false
  /// Whether it may itself be a proxy that speaks for others: not whoever is behind a proxy that does not say who it is.
  var mayBeProxy = true

  /// Who has an address.
  package init(address: IPAddress?) { self.address = address }

  /// Whoever a trusted proxy says that it speaks for.
  ///
  /// - Parameters:
  ///   - proxy: the proxy.
  ///   - address: the client's, as the proxy says; nil if it says none: then all such clients count as one, at the proxy's address.
  init(behind proxy: Caller, _ address: IPAddress?) {
    self.address = address ?? proxy.address
    isForwarded = true
    mayBeProxy = address != nil
  }

  /// Who is at the other end of a socket.
  ///
  /// - Parameter descriptor: the socket.
  /// - Returns: nil if the connection is gone already: nobody knows whose it was.
  package static func atOtherEnd(of descriptor: Int32) -> Caller? {
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
      return IPAddress(bytes[offset..<offset + 4]).map { Caller(address: $0) }
    case AF_INET6:
      guard let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) else { return nil }
      return IPAddress(bytes[offset..<offset + 16]).map { Caller(address: $0) }
    case AF_UNIX: return Caller(address: nil)
    default: return nil
    }
  }

  /// Whether it is a program on this machine, for which there are no limits but the server's own.
  var isLocal: Bool { !isForwarded && address?.isLoopback ?? true }

  /// The place that its connections and sessions are counted to; nil if to none.
  var place: Place? { isLocal ? nil : address.map { Place($0) } }
}

/// What counts as one place that clients come from: an IPv4 address, or the network of an IPv6 address.
///
/// Of IPv6 it is the first 64 bits: one host has all the addresses that begin with them.
struct Place: Hashable {
  private let bits: UInt64
  private let isIPv6: Bool

  /// The place as text, for a store.
  var text: String { (isIPv6 ? "6:" : "4:") + String(bits, radix: 16) }

  /// The place for a person: an address, or the first half of the addresses of a network.
  var readable: String {
    let groups = (0..<4).map { String(UInt16(truncatingIfNeeded: bits >> (48 - 16 * UInt64($0))), radix: 16) }
    return isIPv6
      ? groups.joined(separator: ":") + "::/64"
      : (0..<4).map { "\(bits >> (24 - 8 * UInt64($0)) & 0xFF)" }.joined(separator: ".")
  }

  /// The place of an address.
  init(_ address: IPAddress) {
    (bits, isIPv6) = address.isIPv4 ? (address.low, false) : (address.high, true)
  }
}
