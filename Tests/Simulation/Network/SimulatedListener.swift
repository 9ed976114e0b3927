import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A socket that listens: connections come to it from clients of the simulation.
///
/// It is one end of a pair. The other end says a byte for each connection that waits, so that a poller sees that there is one.
final class SimulatedListener {
  /// The server's end.
  let descriptor: Int32
  /// The number of that among the sockets of the server that listens.
  var socket = 0
  private var bell: Int32
  private var waiting: [Int32] = []
  /// How many of the next calls of ``accept()`` fail, and with which error.
  var faults: [Int32] = []

  /// What accepting a connection may fail with.
  static let errors = [EMFILE, ENFILE, ENOMEM, ECONNABORTED, EINTR]

  /// A socket that nobody has connected to.
  init() throws(SystemError) { (descriptor, bell) = try SocketPair.make() }

  /// Has a connection wait.
  ///
  /// - Parameter descriptor: the server's end of it.
  func enqueue(_ descriptor: Int32) {
    waiting.append(descriptor)
    var byte: UInt8 = 0
    _ = send(bell, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Takes a connection; −1 with `errno` if there is none, or none can be taken.
  func accept() -> Int32 {
    if !faults.isEmpty {
      errno = faults.removeFirst()
      return -1
    }
    var byte: UInt8 = 0
    guard !waiting.isEmpty, recv(descriptor, &byte, 1, 0) == 1 else {
      errno = EAGAIN
      return -1
    }
    return waiting.removeFirst()
  }

  /// Nobody connects any more; the server closes its own end.
  func close() {
    guard bell >= 0 else { return }
    SocketPair.close(bell)
    bell = -1
    for descriptor in waiting { SocketPair.close(descriptor) }
    waiting = []
  }
}
