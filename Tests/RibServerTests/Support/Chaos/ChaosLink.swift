import Foundation
import RibClient
import Wire
import WireHTTP

/// A client's end of a connection: a WebSocket that does not block.
final class ChaosLink {
  private enum Phase { case upgrading, open }

  /// Why there is nothing more to be heard.
  struct End: Error {
    let code: CloseCode?
    /// Whether the connection was refused or reset, and not closed.
    var isBroken = false
  }

  let descriptor: Int32
  private var phase = Phase.upgrading
  private var input = ReceiveBuffer()
  private var responses = ResponseReader()
  private var frames = FrameReader(role: .client, messageLimit: 1 << 24)
  private let writer: FrameWriter
  private let key: String
  /// What there was no room for, and what is said once the WebSocket is open.
  private var output: [UInt8]
  private var later: [UInt8] = []

  /// Begins to connect.
  ///
  /// - Parameters:
  ///   - port: the server's, or a balancer's.
  ///   - query: the session that it goes on with; nil for a new one.
  ///   - headers: further fields of its request.
  ///   - random: the key and the mask.
  init(
    to port: Int, _ query: SessionQuery?, headers: HeaderFields = [:], _ random: inout SeededGenerator
  ) {
    descriptor = LocalSocket.connect(to: port)
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(UInt8.random(in: .min ... .max, using: &random)) }
    key = Base64.encode(bytes.span)
    let mask = UInt32.random(in: .min ... .max, using: &random)
    writer = FrameWriter.client { mask }
    output = WebSocketHandshake.request(
      host: "127.0.0.1", path: query?.added(to: "/v1/socket") ?? "/v1/socket", key: key, subprotocols: [subprotocol],
      headers: headers)
  }

  /// Says something, now or when there is room.
  func send(_ message: [UInt8]) {
    switch phase {
    case .upgrading: writer.text(message.span, into: &later)
    case .open: writer.text(message.span, into: &output)
    }
    flush()
  }

  /// Says what there is room for; a connection that is gone will be heard to be.
  func flush() {
    guard !output.isEmpty, let count = LocalSocket.send(descriptor, output[...]) else { return }
    output.removeFirst(count)
  }

  /// Hears what is there.
  ///
  /// - Parameter storage: for what is received.
  /// - Returns: the messages.
  /// - Throws: ``End``, after all messages were returned; `HTTPError` or `WebSocketError`.
  func receive(_ storage: inout [UInt8]) throws -> [[UInt8]] {
    var messages: [[UInt8]] = []
    let received = LocalSocket.receive(descriptor, into: &storage)
    if case .bytes(let slice) = received {
      let bytes = Array(slice)
      input.append(bytes.span)
    }
    if case .upgrading = phase {
      guard let head = try responses.nextHead(from: &input) else {
        try Self.check(received)
        return []
      }
      try WebSocketHandshake.check(head, key: key, subprotocols: [subprotocol])
      phase = .open
      output += later
      later = []
      flush()
    }
    while let event = try frames.nextEvent(from: &input) {
      switch event {
      case .text(let payload), .binary(let payload):
        messages.append(input.withPayload(payload) { bytes in bytes.withUnsafeBufferPointer { Array($0) } })
      case .ping(let payload):
        var pong: [UInt8] = []
        input.withPayload(payload) { writer.pong($0, into: &pong) }
        output += pong
        flush()
      case .pong: break
      case .close(let code, _): if messages.isEmpty { throw End(code: code) }
      }
    }
    if messages.isEmpty { try Self.check(received) }
    return messages
  }

  private static func check(_ received: LocalSocket.Received) throws {
    switch received {
    case .bytes, .nothing: break
    case .end: throw End(code: nil)
    case .broken: throw End(code: nil, isBroken: true)
    }
  }
}
