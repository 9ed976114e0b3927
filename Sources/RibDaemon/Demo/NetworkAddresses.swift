#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The addresses of this machine in its networks.
enum NetworkAddresses {
  /// The IPv4 addresses of interfaces that are up, without those of the machine itself (127.0.0.0/8) and of links without a router (169.254.0.0/16).
  static var ofThisMachine: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [String] = []
    var next = first
    while let interface = next?.pointee {
      next = interface.ifa_next
      guard let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
        Int32(bitPattern: interface.ifa_flags) & Int32(IFF_UP) != 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
      address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        _ = inet_ntop(AF_INET, &address.pointee.sin_addr, &text, socklen_t(text.count))
      }
      let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if !name.hasPrefix("127."), !name.hasPrefix("169.254.") { found.append(name) }
    }
    return found
  }
}
