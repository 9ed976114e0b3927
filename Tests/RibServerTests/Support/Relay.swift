import Foundation
import RibTestSupport
import Synchronization

/// Passes on what a client and a server say, until it is told to cut them off.
final class Relay: Sendable {
  private struct State {
    var target: Int
    var sockets: [Int32] = []
  }

  let url: String
  private let listener: Int32
  private let state: Mutex<State>

  /// Listens on a free port.
  ///
  /// - Parameter port: the server's, on this machine.
  init(to port: Int) {
    state = Mutex(State(target: port))
    let listener = socket(AF_INET, SystemSocket.stream, 0)
    self.listener = listener
    var address = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      _ = bind(listener, pointer, length)
      _ = listen(listener, 8)
      _ = getsockname(listener, pointer, &length)
    }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    BlockingThread.start { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 { connect(client) }
    }
  }

  /// Ends what is there, and listens no more.
  func stop() {
    cut()
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Cuts every connection.
  ///
  /// - Parameter port: where the next ones go; nil for where these went.
  func cut(next port: Int? = nil) {
    state.withLock { state in
      if let port { state.target = port }
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
      state.sockets = []
    }
  }

  private func connect(_ client: Int32) {
    let server = socket(AF_INET, SystemSocket.stream, 0)
    var address = Self.address(port: state.withLock { $0.target })
    let result = withUnsafeBytes(of: &address) { bytes in
      connectSocket(
        server, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    guard result == 0 else {
      close(client)
      close(server)
      return
    }
    state.withLock { $0.sockets += [client, server] }
    // Descriptors stay open until the test's process ends: a number that is used again would be cut in error.
    BlockingThread.start { Self.pass(from: client, to: server) }
    BlockingThread.start { Self.pass(from: server, to: client) }
  }

  private static func pass(from source: Int32, to target: Int32) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = recv(source, &bytes, bytes.count, 0), count > 0 {
      guard send(target, bytes, count, SystemSocket.sendFlags) == count else { break }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(target, Int32(SHUT_RDWR))
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
