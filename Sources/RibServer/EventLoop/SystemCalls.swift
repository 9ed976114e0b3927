import CLinux
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Calls whose names Swift's own would hide, or that are interrupted, and what their errors mean.

/// Whether the last call failed because it would have had to wait.
var wouldBlock: Bool { errno == EAGAIN || errno == EWOULDBLOCK }

/// Closes a descriptor; there is nothing that a failure would let one do.
func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// Opens a file for reading and writing, and makes it if there is none; it is not inherited by child processes.
///
/// - Returns: the descriptor; −1 with `errno`.
func openFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

/// Gives memory that nobody uses back to the system.
///
/// Otherwise the allocator keeps what sessions had that have left. It takes milliseconds, and is done elsewhere.
func releaseFreeMemory() {
  #if canImport(Glibc)
    DispatchQueue.global(qos: .utility).async { malloc_trim(0) }
  #endif
}

/// How much of the machine's memory the process has.
///
/// - Returns: bytes; nil if the system does not say.
package func residentBytes() -> Int? {
  #if os(Linux)
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      .split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  #else
    return nil
  #endif
}

/// Receives what there is.
///
/// - Returns: the number of bytes, 0 at the end; −1 with `errno`.
func receiveBytes(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
  while true {
    let count = recv(descriptor, room.baseAddress, room.count, 0)
    if count >= 0 || errno != EINTR { return count }
  }
}

/// Whether something has come that was not received yet.
func hasUnreadBytes(_ descriptor: Int32) -> Bool {
  var byte: UInt8 = 0
  return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
}

/// Bytes that were sent and that the peer's system has not taken yet; none if the system does not say.
func unacknowledgedBytes(_ descriptor: Int32) -> Int {
  #if os(Linux)
    max(Int(rib_unacknowledged(descriptor)), 0)
  #else
    var count: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 ? Int(count) : 0
  #endif
}

/// Sends what the socket takes.
///
/// - Returns: the number of bytes; −1 with `errno`.
func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  while true {
    let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    if count >= 0 || errno != EINTR { return count }
  }
}

/// Has the system give up what it still has to send, also once the socket is closed, if the peer takes none of it for some time.
///
/// Otherwise the kernel keeps the data for minutes if the peer answers and reads nothing. No limit of ours counts it. Linux only.
func limitSending(_ descriptor: Int32, seconds: Int) {
  #if os(Linux)
    setOption(descriptor, TCP_USER_TIMEOUT, Int32(min(seconds, 1_000_000) * 1000))
  #endif
}

/// Tells the peer that nothing more is sent.
func shutDownSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

/// A socket, non-blocking and not inherited by child processes.
func makeSocket(_ family: Int32) -> Int32 {
  #if os(Linux)
    socket(family, Int32(SOCK_STREAM.rawValue) | flags, 0)
  #else
    withFlags(socket(family, SOCK_STREAM, 0))
  #endif
}

/// Makes both ends of a connection within the process: non-blocking, and not inherited by child processes.
///
/// - Returns: their descriptors.
/// - Throws: ``SystemError`` if there are none left.
func makeSocketPair() throws(SystemError) -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  #if os(Linux)
    let status = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0, &ends)
  #else
    let status = socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
  #endif
  guard status == 0 else { throw .last("socketpair") }
  #if !os(Linux)
    for end in ends where withFlags(end) < 0 {
      let error = SystemError.last("fcntl")
      for end in ends where fcntl(end, F_GETFD) >= 0 { close(end) }
      throw error
    }
  #endif
  return (ends[0], ends[1])
}

/// Uses the first address of a host; waits for a name to be found.
///
/// - Parameters:
///   - host: an address or a name.
///   - port: the port.
///   - flags: of the look-up.
///   - operation: what it is for, for the error.
///   - use: is handed the address.
/// - Returns: what it has returned.
/// - Throws: ``SystemError`` if the host is not found, or what `use` throws.
private func withAddress<Value>(
  of host: String, _ port: Int, flags: Int32, to operation: String,
  _ use: (addrinfo) throws(SystemError) -> Value
) throws(SystemError) -> Value {
  var hints = addrinfo()
  hints.ai_flags = AI_NUMERICSERV | flags
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  var list: UnsafeMutablePointer<addrinfo>?
  let status = getaddrinfo(host, "\(port)", &hints, &list)
  guard status == 0, let first = list else {
    throw SystemError(operation: "\(operation): \(String(cString: gai_strerror(status)))", code: EADDRNOTAVAIL)
  }
  defer { freeaddrinfo(list) }
  return try use(first.pointee)
}

/// Makes a socket for the first address of a host.
///
/// - Parameters:
///   - host: an address or a name, which is looked up.
///   - port: the port.
///   - flags: of the look-up.
///   - operation: what it is for, without the port, for the error.
///   - use: binds or connects it; says whether that has worked, with `errno` if not.
/// - Returns: its descriptor.
/// - Throws: ``SystemError`` if the host is not found, or the socket cannot be used; it is closed then.
func openSocket(
  _ host: String, _ port: Int, flags: Int32 = 0, to operation: String, _ use: (Int32, addrinfo) -> Bool
) throws(SystemError) -> Int32 {
  try withAddress(of: host, port, flags: flags, to: operation) { address throws(SystemError) in
    let descriptor = makeSocket(address.ai_family)
    guard descriptor >= 0 else { throw .last("socket") }
    guard use(descriptor, address) else {
      let error = SystemError.last("\(operation):\(port)")
      closeDescriptor(descriptor)
      throw error
    }
    return descriptor
  }
}

/// Finds the first address of a host; waits for the name to be found.
///
/// - Parameter host: a name.
/// - Returns: the address, as text.
/// - Throws: ``SystemError`` if the host is not found.
func findAddress(of host: String) throws(SystemError) -> String {
  let operation = "find \(host)"
  return try withAddress(of: host, 0, flags: 0, to: operation) { address throws(SystemError) in
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = getnameinfo(
      address.ai_addr, address.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard status == 0 else { throw SystemError(operation: operation, code: EADDRNOTAVAIL) }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Begins to connect, and waits for nothing; the socket can be written to once it is connected, or has failed.
///
/// - Parameters:
///   - address: an address; a name is refused.
///   - port: the port.
/// - Returns: its descriptor.
/// - Throws: ``SystemError`` if there is no socket, or the host refuses at once.
func connectSocket(to address: String, _ port: Int) throws(SystemError) -> Int32 {
  let descriptor = try openSocket(
    address, port, flags: AI_NUMERICHOST, to: "connect to \(address)"
  ) { descriptor, address in
    connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS
  }
  tune(descriptor)
  return descriptor
}

/// Why a socket could not be connected: an error number; 0 if it was.
func connectionFailure(_ descriptor: Int32) -> Int32 {
  var code: Int32 = 0
  var size = socklen_t(MemoryLayout<Int32>.size)
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
}

/// Accepts a connection: non-blocking, not inherited by child processes, and with the listening socket's options.
///
/// - Returns: its descriptor; −1 with `errno`.
func acceptConnection(_ listening: Int32) -> Int32 {
  #if os(Linux)
    return rib_accept(listening, flags)
  #else
    let accepted = withFlags(accept(listening, nil, nil))
    if accepted >= 0 { tune(accepted) }
    return accepted
  #endif
}

#if os(Linux)
  private let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
#else
  /// Where flags cannot be given with the call, a child that is forked in between inherits the descriptor.
  private func withFlags(_ descriptor: Int32) -> Int32 {
    guard descriptor >= 0 else { return descriptor }
    if fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 { return descriptor }
    close(descriptor)
    return -1
  }
#endif

/// Has a socket send small messages at once, and the system keep little that it cannot send yet.
///
/// What waits in the system cannot be given up for something newer, a ping behind it is not heard, and nobody tells when
/// the peer takes some of it.
private func tune(_ descriptor: Int32) {
  setOption(descriptor, TCP_NODELAY, 1)
  setOption(descriptor, TCP_NOTSENT_LOWAT, 65_536)
}

private func setOption(_ descriptor: Int32, _ option: Int32, _ value: Int32) {
  var value = value
  setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// Begins to listen.
///
/// - Returns: 0; −1 with `errno`.
func beginListening(_ descriptor: Int32, backlog: Int32) -> Int32 {
  // Linux hands the options of the listening socket on to those that it accepts.
  tune(descriptor)
  return listen(descriptor, backlog)
}

/// Nanoseconds of the clock that `DispatchTime` reads, without what `DispatchTime` computes of it.
func monotonicNanoseconds() -> UInt64 {
  #if canImport(Darwin)
    clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
  #else
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  #endif
}

/// Seconds since 1970 began.
func wallClockSeconds() -> Int { time(nil) }

/// Milliseconds since 1970 began.
func wallClockMilliseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
}
