import Wire
import WireHTTP

// However the bytes are cut, a reader says the same; no message is longer than the limit; a text is UTF-8; a peer that
// is sent what was read reads the same.

extension FuzzTarget {
  private static let limit = 300
  /// A frame's header, and the frame; compressed it may be a little longer.
  private static let mostUnread = 14 + limit + limit / 8 + 1024

  /// The frames of a WebSocket, as a server and as a client reads them.
  static let frames = FuzzTarget(name: "frames") { bytes in
    for role in [FrameReader.Role.server, .client] {
      let whole = try hear(bytes, cut: .whole, as: role)
      for cut in Cut.allCases where cut != .whole {
        let hearing = try hear(bytes, cut: cut, as: role)
        try require(hearing == whole, "cut into \(cut): \(hearing) and not \(whole)")
      }
      for message in whole.events.map(\.event) {
        try requireEcho(of: message, with: .server, to: .client)
        try requireEcho(of: message, with: .client { 0x0BAD_F00D }, to: .server)
      }
    }
  }

  /// Frames between two ends that have agreed on compression; the first byte says on what.
  static let deflated = FuzzTarget(name: "deflated") { bytes in
    guard let first = bytes.first else { return }
    // 8 bits are a window that only others write.
    let direction = PerMessageDeflate.Direction(keepsContext: first & 1 == 1, windowBits: 9 + Int(first >> 1) % 7)
    let frames = Array(bytes.dropFirst())
    for role in [FrameReader.Role.server, .client] {
      let whole = try hear(frames, cut: .whole, as: role, direction)
      for cut in Cut.allCases where cut != .whole {
        let hearing = try hear(frames, cut: cut, as: role, direction)
        try require(hearing == whole, "cut into \(cut): \(hearing) and not \(whole)")
      }
      for message in whole.events.map(\.event) {
        let writer = FrameWriter.server.compressing(DeflateStreams().deflater(for: direction), threshold: 1)
        try requireEcho(of: message, with: writer, to: .client, direction)
      }
    }
    // The same bytes as a message, twice: the second may refer to the first.
    let message = Message.binary(Array(frames.prefix(limit)))
    let writer = FrameWriter.server.compressing(DeflateStreams().deflater(for: direction), threshold: 1)
    var sent: [UInt8] = []
    for _ in 1...2 { message.write(with: writer, into: &sent) }
    let hearing = try hear(sent, cut: .some, as: .client, direction)
    try require(hearing.events.map(\.event) == [message, message], "\(message), twice, becomes \(hearing)")
  }

  /// A WebSocket event with its bytes.
  fileprivate enum Message: Equatable {
    case text([UInt8])
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseCode?, String)

    init(_ event: WebSocketEvent, in buffer: ReceiveBuffer) throws {
      func bytes(_ payload: WebSocketPayload, atMost limit: Int) throws -> [UInt8] {
        let bytes = buffer.withPayload(payload) { $0.withUnsafeBufferPointer { Array($0) } }
        try require(bytes.count <= limit, "\(bytes.count) bytes are more than \(limit)")
        return bytes
      }
      switch event {
      case .text(let payload):
        let text = try bytes(payload, atMost: FuzzTarget.limit)
        try require(String(validating: text, as: UTF8.self) != nil, "a text is not UTF-8")
        self = .text(text)
      case .binary(let payload): self = .binary(try bytes(payload, atMost: FuzzTarget.limit))
      case .ping(let payload): self = .ping(try bytes(payload, atMost: 125))
      case .pong(let payload): self = .pong(try bytes(payload, atMost: 125))
      case .close(let code, let reason): self = .close(code, reason)
      }
    }

    func write(with writer: FrameWriter, into bytes: inout [UInt8]) {
      switch self {
      case .text(let text): writer.text(text.span, into: &bytes)
      case .binary(let data): writer.binary(data.span, into: &bytes)
      case .ping(let data): writer.ping(data.span, into: &bytes)
      case .pong(let data): writer.pong(data.span, into: &bytes)
      case .close(let code, let reason): writer.close(code, reason: reason, into: &bytes)
      }
    }
  }

  private static func hear(
    _ bytes: [UInt8], cut: Cut, as role: FrameReader.Role, _ direction: PerMessageDeflate.Direction? = nil
  ) throws -> Hearing<Message> {
    let inflater = direction.map { DeflateStreams().inflater(for: $0) }
    var reader = FrameReader(role: role, messageLimit: limit, inflater: inflater)
    var isClosed = false
    return try Hearing(cut.pieces(of: bytes), mostUnread: .max) { buffer in
      guard let event = try reader.nextEvent(from: &buffer) else {
        try require(isClosed || buffer.count <= mostUnread, "\(buffer.count) bytes wait for more")
        return nil
      }
      try require(!isClosed, "\(event) after the close")
      if case .close = event { isClosed = true }
      return try Message(event, in: buffer)
    }
  }

  private static func requireEcho(
    of message: Message, with writer: FrameWriter, to role: FrameReader.Role,
    _ direction: PerMessageDeflate.Direction? = nil
  ) throws {
    var bytes: [UInt8] = []
    message.write(with: writer, into: &bytes)
    let hearing = try hear(bytes, cut: .whole, as: role, direction)
    try require(
      hearing.events.map(\.event) == [message] && hearing.refusal == nil && hearing.events[0].consumed == bytes.count,
      "\(message) becomes \(hearing)")
  }
}
