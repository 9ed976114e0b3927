import Wire

@testable import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A TCP connection: messages on their way in both directions, and ends that learn late of each other's end.
final class ModelLink {
  let number: Int
  /// On their way to the server.
  var up: [[UInt8]] = []
  /// On their way to the client.
  var down: [[UInt8]] = []
  /// Whether the client's end is closed: the server hears of that after all that is on its way.
  var isClientGone = false
  /// Whether the server's end is closed.
  var isServerGone = false
  /// Whether there is no room in the window: the server keeps what it wants to send.
  var isStalled = false
  /// The server's end.
  var connection: ModelConnection?
  /// What has come out of the server's end, and is not a whole frame yet.
  private var received = ReceiveBuffer()
  private var frames = FrameReader(role: .client, messageLimit: .max)

  /// A connection that has just been made.
  init(number: Int) { self.number = number }

  /// Takes what the server has sent.
  ///
  /// - Parameter bytes: of frames.
  func deliver(_ bytes: [UInt8]) {
    received.append(bytes.span)
    while let event = try? frames.nextEvent(from: &received) {
      // What a close frame says, the message before it has said.
      if case .text(let payload) = event {
        down.append(received.withPayload(payload) { bytes in bytes.withUnsafeBytes { Array($0) } })
      }
    }
  }
}

/// A pair of sockets through which what a `SendQueue` lets go comes out again.
final class ModelSocket {
  private var ends: [Int32] = [-1, -1]

  /// An open pair.
  init() {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { preconditionFailure("no sockets") }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit { for end in ends { close(end) } }

  /// Takes out of a queue what it may send.
  ///
  /// - Parameter queue: of what a server sends.
  /// - Returns: the bytes.
  func take(from queue: inout SendQueue) -> [UInt8] {
    guard queue.send(to: ends[0]) else { preconditionFailure("the sockets are gone") }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(ends[1], &room, room.count)
      guard count > 0 else { break }
      bytes += room[..<count]
    }
    return bytes
  }
}
