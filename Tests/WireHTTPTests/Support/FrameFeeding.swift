import Testing
import Wire

@testable import WireHTTP

/// An event with its bytes instead of where they are.
enum Heard: Equatable {
  case text(String)
  case binary([UInt8])
  case ping([UInt8])
  case pong([UInt8])
  case close(UInt16?, String)

  init(_ event: WebSocketEvent, _ buffer: ReceiveBuffer) {
    func bytes(_ payload: WebSocketPayload) -> [UInt8] { buffer.withPayload(payload) { Array(copying: $0) } }
    self =
      switch event {
      case .text(let payload): .text(String(decoding: bytes(payload), as: UTF8.self))
      case .binary(let payload): .binary(bytes(payload))
      case .ping(let payload): .ping(bytes(payload))
      case .pong(let payload): .pong(bytes(payload))
      case .close(let code, let reason): .close(code?.rawValue, reason)
      }
  }
}

/// What a reader made of a row of bytes.
struct Hearing: Equatable {
  var events: [Heard] = []
  /// Why it stopped, if it did.
  var error: WebSocketError?
  /// How many bytes it had been given when it said the last thing.
  var size = 0

  /// Where it differs from what was to be heard first, in a few words.
  func difference(from events: [Heard], _ error: WebSocketError? = nil) -> String {
    let place = zip(self.events, events).enumerated().first { $1.0 != $1.1 }?.offset
    guard let place = place ?? (self.events.count == events.count ? nil : min(self.events.count, events.count)) else {
      return "error \(String(describing: self.error)), and not \(String(describing: error)); \(size) bytes"
    }
    let (heard, wanted) = (self.events[place...].first, events[place...].first)
    return "event \(place) is \("\(heard, default: "missing")".prefix(200)), and not "
      + "\("\(wanted, default: "there")".prefix(200)); \(self.events.count) events, and not \(events.count)"
  }
}

extension FrameReader {
  /// What the reader says of `bytes`, given at once or one by one.
  static func hear(
    _ bytes: [UInt8], oneByOne: Bool = false, role: Role = .server, limit: Int = 1 << 20,
    inflating: PerMessageDeflate.Direction? = nil
  ) -> Hearing {
    var reader = FrameReader(role: role, messageLimit: limit, inflater: inflating.map { Inflater($0) })
    var buffer = ReceiveBuffer()
    var hearing = Hearing()
    do throws(WebSocketError) {
      for piece in oneByOne ? bytes.map({ [$0] }) : [bytes] {
        buffer.receive(piece)
        hearing.size += piece.count
        while let event = try reader.nextEvent(from: &buffer) { hearing.events.append(Heard(event, buffer)) }
      }
    } catch {
      hearing.error = error
    }
    return hearing
  }

  /// The events that `bytes` are: whole, byte by byte, and with another frame and part of one after them.
  ///
  /// - Throws: if they are refused, or are not just whole messages.
  static func accept(
    _ bytes: [UInt8], role: Role = .server, limit: Int = 1 << 20, inflating: PerMessageDeflate.Direction? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Heard] {
    let whole = hear(bytes, role: role, limit: limit, inflating: inflating)
    if let error = whole.error { throw error }
    // The last event comes with the last byte, and not before.
    let inParts = hear(bytes, oneByOne: true, role: role, limit: limit, inflating: inflating)
    // Of what differs Swift Testing would print every byte, for minutes if it is long.
    #expect(
      (inParts == whole) as Bool, "\(inParts.difference(from: whole.events, whole.error))",
      sourceLocation: sourceLocation)
    let shorter = hear(Array(bytes.dropLast()), oneByOne: true, role: role, limit: limit, inflating: inflating)
    #expect(shorter.events.count == whole.events.count - 1, sourceLocation: sourceLocation)

    let isMasked = role == .server
    let next: [UInt8] = isMasked ? [0x89, 0x81, 1, 0, 0, 0, 0x40] : [0x89, 0x01, 0x41]
    let part = Array(next.dropLast())
    let followed = hear(bytes + next + part, role: role, limit: limit, inflating: inflating)
    #expect(followed.error == nil, sourceLocation: sourceLocation)
    if case .close? = whole.events.last {
      #expect(
        (followed.events == whole.events) as Bool, "\(followed.difference(from: whole.events))",
        sourceLocation: sourceLocation)
    } else {
      let events = whole.events + [.ping([0x41])]
      #expect(
        (followed.events == events) as Bool, "\(followed.difference(from: events))", sourceLocation: sourceLocation)
    }
    return whole.events
  }

  /// How `bytes` are refused: the same whole, byte by byte and with bytes after them.
  ///
  /// - Returns: what was heard before, the error, and the number of bytes that it took.
  static func refuse(
    _ bytes: [UInt8], role: Role = .server, limit: Int = 1 << 20, inflating: PerMessageDeflate.Direction? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Hearing {
    let hearing = hear(bytes, oneByOne: true, role: role, limit: limit, inflating: inflating)
    _ = try #require(hearing.error, sourceLocation: sourceLocation)
    for input in [bytes, bytes + [0x89, 0x80, 0, 0, 0, 0]] {
      let whole = hear(input, role: role, limit: limit, inflating: inflating)
      #expect(whole.error == hearing.error, sourceLocation: sourceLocation)
      #expect(
        (whole.events == hearing.events) as Bool, "\(whole.difference(from: hearing.events))",
        sourceLocation: sourceLocation)
    }
    return hearing
  }
}

/// A client's frame, put together by the letter of RFC 6455 §5.2 and §5.3.
func clientFrame(_ first: UInt8, _ payload: [UInt8], key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]) -> [UInt8] {
  var frame = [first]
  if payload.count < 126 {
    frame.append(0x80 | UInt8(payload.count))
  } else if payload.count < 65_536 {
    frame += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
  } else {
    frame += [0xFF, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(payload.count >> $0 & 0xFF) }
  }
  return frame + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
}
