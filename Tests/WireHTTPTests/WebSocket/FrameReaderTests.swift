import Testing
import Wire

@testable import WireHTTP

@Suite("RFC 6455 §5 Reading frames")
struct FrameReaderTests {
  // MARK: Messages

  /// The examples of §5.7, and who may send them.
  static let examples: [(role: FrameReader.Role, bytes: [UInt8], events: [Heard])] = [
    (.client, [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.text("Hello")]),
    (.server, [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], [.text("Hello")]),
    (.client, [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], [.text("Hello")]),
    (.client, [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.ping(Array("Hello".utf8))]),
    (.server, [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], [.pong(Array("Hello".utf8))]),
    (
      .client, [0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 7, count: 256), [.binary(.init(repeating: 7, count: 256))]
    ),
    (
      .client, [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_536),
      [.binary(.init(repeating: 7, count: 65_536))]
    ),
  ]

  @Test("§5.7: the examples are understood", arguments: examples)
  func example_isUnderstood(role: FrameReader.Role, bytes: [UInt8], events: [Heard]) throws {
    #expect(try FrameReader.accept(bytes, role: role) == events)
  }

  /// A message in pieces, with control frames between them.
  static let fragmented: [(frames: [(UInt8, String)], events: [Heard])] = [
    ([(0x01, ""), (0x80, "")], [.text("")]),
    ([(0x01, "a"), (0x00, ""), (0x00, "b"), (0x00, ""), (0x80, "c")], [.text("abc")]),
    ([(0x02, "ab"), (0x80, "")], [.binary([97, 98])]),
    ([(0x02, ""), (0x00, "a"), (0x80, "b")], [.binary([97, 98])]),
    (
      [(0x01, "a"), (0x89, "p"), (0x00, "b"), (0x8A, ""), (0x89, ""), (0x80, "c")],
      [.ping([112]), .pong([]), .ping([]), .text("abc")]
    ),
    ([(0x81, "a"), (0x01, "b"), (0x80, "c"), (0x82, "d")], [.text("a"), .text("bc"), .binary([100])]),
    ([(0x01, "a"), (0x88, "")], [.close(nil, "")]),
  ]

  @Test("§5.4: fragments are joined, control frames between them come through", arguments: fragmented)
  func fragments_areJoined(frames: [(UInt8, String)], events: [Heard]) throws {
    let bytes = frames.flatMap { clientFrame($0, Array($1.utf8)) }
    #expect(try FrameReader.accept(bytes) == events)
  }

  @Test("§5.4: a character may be cut by the end of a frame")
  func character_mayBeCut() throws {
    let text = "\u{E9}\u{20AC}\u{1F600}"
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      let frames = clientFrame(0x01, Array(bytes[..<cut])) + clientFrame(0x80, Array(bytes[cut...]))
      #expect(try FrameReader.accept(frames) == [.text(text)])
    }
    let single = bytes.enumerated().flatMap { index, byte in
      clientFrame(index == 0 ? 0x01 : index == bytes.count - 1 ? 0x80 : 0x00, [byte])
    }
    #expect(try FrameReader.accept(single) == [.text(text)])
  }

  @Test("a message of one frame stays where it was received, only fragments are copied")
  func singleFrame_isNotCopied() throws {
    var reader = FrameReader(role: .server, messageLimit: 100)
    var buffer = ReceiveBuffer()
    buffer.receive(clientFrame(0x81, [1, 2, 3]) + clientFrame(0x02, [4]) + clientFrame(0x80, [5]))
    #expect(try reader.nextEvent(from: &buffer) == .text(.received(6..<9)))
    #expect(try reader.nextEvent(from: &buffer) == .binary(.assembled([4, 5])))
    #expect(try reader.nextEvent(from: &buffer) == nil)
    #expect(buffer.isEmpty)
  }

  // MARK: Closing

  static let closes: [(payload: [UInt8], code: UInt16?, reason: String)] = [
    ([], nil, ""), ([0x03, 0xE8], 1000, ""), ([0x03, 0xE9] + Array("bye".utf8), 1001, "bye"),
    ([0x0F, 0xA0] + Array("\u{E9}\u{1F600}".utf8), 4000, "\u{E9}\u{1F600}"), ([0x13, 0x87], 4999, ""),
    ([0x03, 0xF6] + [UInt8](repeating: 97, count: 123), 1014, String(repeating: "a", count: 123)),
  ]

  @Test("§5.5.1: a close frame says why", arguments: closes)
  func close_saysWhy(payload: [UInt8], code: UInt16?, reason: String) throws {
    #expect(try FrameReader.accept(clientFrame(0x88, payload)) == [.close(code, reason)])
  }

  @Test("§5.5.1: after a close frame nothing is looked at, not even rubbish")
  func afterClose_nothingIsRead() throws {
    var reader = FrameReader(role: .server, messageLimit: 10)
    var buffer = ReceiveBuffer()
    let rubbish: [UInt8] = [0xFF, 0xFF, 0xFF]
    buffer.receive(clientFrame(0x88, [0x03, 0xE8]) + rubbish)
    #expect(try reader.nextEvent(from: &buffer) == .close(.normal, reason: ""))
    #expect(try reader.nextEvent(from: &buffer) == nil)
    #expect(buffer.unreadBytes == rubbish)
  }

  // MARK: Refusals

  struct Refusal: CustomTestStringConvertible, Sendable {
    let code: CloseCode
    let testDescription: String
    let bytes: [UInt8]
    /// After how many of the bytes it must be refused.
    let seenAfter: Int
    var before: [Heard] = []

    init(_ code: CloseCode, _ name: String, _ bytes: [UInt8], seenAfter: Int? = nil, before: [Heard] = []) {
      self.code = code
      testDescription = name
      self.bytes = bytes
      self.seenAfter = seenAfter ?? bytes.count
      self.before = before
    }
  }

  static let refusals: [Refusal] = [
    Refusal(.protocolError, "§5.2 a reserved bit", clientFrame(0xC1, [1]), seenAfter: 1),
    Refusal(.protocolError, "§5.2 an unknown opcode", clientFrame(0x83, [1]), seenAfter: 1),
    Refusal(.protocolError, "§5.1 no mask", [0x81, 0x01, 0x61], seenAfter: 2),
    Refusal(.protocolError, "§5.5 a ping in parts", clientFrame(0x09, [1]), seenAfter: 1),
    Refusal(.protocolError, "§5.5 a long ping", clientFrame(0x89, .init(repeating: 0, count: 126)), seenAfter: 2),
    Refusal(.protocolError, "§5.2 126 for 125", [0x81, 0xFE, 0x00, 0x7D], seenAfter: 4),
    Refusal(.protocolError, "§5.2 127 for 65,535", [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], seenAfter: 8),
    Refusal(
      .protocolError, "§5.2 the highest bit of a length", [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], seenAfter: 3),
    Refusal(.protocolError, "§5.4 nothing to continue", clientFrame(0x80, [1]), seenAfter: 1),
    Refusal(.protocolError, "§5.4 nothing to continue, no payload", clientFrame(0x00, []), seenAfter: 1),
    Refusal(
      .protocolError, "§5.4 nothing more to continue", clientFrame(0x81, [97]) + clientFrame(0x80, [1]), seenAfter: 8,
      before: [.text("a")]),
    Refusal(
      .protocolError, "§5.4 text in a message", clientFrame(0x01, [97]) + clientFrame(0x81, [97]), seenAfter: 8),
    Refusal(
      .protocolError, "§5.4 binary in a message", clientFrame(0x01, []) + clientFrame(0x89, []) + clientFrame(0x02, []),
      seenAfter: 13, before: [.ping([])]),
    Refusal(.protocolError, "§5.5.1 half a close code", clientFrame(0x88, [0x03])),
    Refusal(.protocolError, "§7.4 close code 0", clientFrame(0x88, [0, 0])),
    Refusal(.protocolError, "§7.4 close code 999", clientFrame(0x88, [0x03, 0xE7])),
    Refusal(.protocolError, "§7.4.1 close code 1004", clientFrame(0x88, [0x03, 0xEC])),
    Refusal(.protocolError, "§7.4.1 close code 1005", clientFrame(0x88, [0x03, 0xED])),
    Refusal(.protocolError, "§7.4.1 close code 1006", clientFrame(0x88, [0x03, 0xEE])),
    Refusal(.protocolError, "§7.4.1 close code 1015", clientFrame(0x88, [0x03, 0xF7])),
    Refusal(.protocolError, "§7.4.2 close code 2999", clientFrame(0x88, [0x0B, 0xB7])),
    Refusal(.protocolError, "§7.4.2 close code 5000", clientFrame(0x88, [0x13, 0x88])),
    Refusal(.invalidData, "§5.5.1 a reason that is not UTF-8", clientFrame(0x88, [0x03, 0xE8, 0xFF])),
    Refusal(.invalidData, "§8.1 text that is not UTF-8", clientFrame(0x81, [0x61, 0xC3])),
    Refusal(.invalidData, "§8.1 a surrogate", clientFrame(0x81, [0xED, 0xA0, 0x80]), seenAfter: 8),
    Refusal(.invalidData, "§8.1 joined text that is not UTF-8", clientFrame(0x01, [0xC3]) + clientFrame(0x80, [0x41])),
    Refusal(
      .invalidData, "§8.1 joined text that ends within a character",
      clientFrame(0x01, [0xE2, 0x82]) + clientFrame(0x80, [])),
    Refusal(
      .invalidData, "§8.1 a fragment that no other can make UTF-8", clientFrame(0x01, [0x61, 0xFF, 0x61]), seenAfter: 8),
  ]

  @Test("what the RFC forbids ends the connection with its code, and no later than it must", arguments: refusals)
  func forbiddenFrame_isRefused(refusal: Refusal) throws {
    let hearing = try FrameReader.refuse(refusal.bytes)
    #expect(hearing.error?.code == refusal.code)
    #expect(hearing.size == refusal.seenAfter)
    #expect(hearing.events == refusal.before)
    #expect(hearing.error?.reason.isEmpty == false)
    #expect((hearing.error?.reason.utf8.count ?? 0) <= 123)
  }

  // MARK: Limits

  static let atTheLimit: [(limit: Int, frames: [(UInt8, Int)])] = [
    (0, [(0x82, 0)]), (1, [(0x82, 1)]), (125, [(0x82, 125)]), (126, [(0x82, 126)]), (65_535, [(0x82, 65_535)]),
    (65_536, [(0x82, 65_536)]), (10, [(0x02, 10), (0x80, 0)]), (10, [(0x02, 4), (0x00, 5), (0x80, 1)]),
    (10, [(0x02, 0), (0x89, 125), (0x80, 10)]), (0, [(0x02, 0), (0x00, 0), (0x80, 0)]),
  ]

  @Test("a message of just as many bytes as allowed is read, however it is cut", arguments: atTheLimit)
  func messageAtTheLimit_isRead(limit: Int, frames: [(UInt8, Int)]) throws {
    let bytes = frames.flatMap { clientFrame($0, [UInt8](repeating: 7, count: $1)) }
    #expect(try FrameReader.accept(bytes, limit: limit).last == .binary([UInt8](repeating: 7, count: limit)))
  }

  @Test("one byte more is refused, and the last frame's length is enough to see it", arguments: atTheLimit)
  func messageAboveTheLimit_isRefused(limit: Int, frames: [(UInt8, Int)]) throws {
    var frames = frames
    let popped = frames.popLast()
    let last = try #require(popped)
    let before = frames.flatMap { clientFrame($0, [UInt8](repeating: 7, count: $1)) }
    let length = last.1 + 1
    let header = clientFrame(last.0, [UInt8](repeating: 7, count: length)).dropLast(length + 4)
    let hearing = try FrameReader.refuse(before + header, limit: limit)
    #expect(hearing.error?.code == .messageTooBig)
    // The least that a length can be may be enough to see it.
    #expect(hearing.size > before.count && hearing.size <= before.count + header.count)
  }

  @Test(
    "a frame that is announced too long is refused from its first 10 bytes",
    arguments: [100_000_000, 1 << 40, UInt64(Int.max)])
  func hugeFrame_isRefusedAtOnce(length: UInt64) throws {
    let announced = (0..<8).map { UInt8(length >> UInt64(56 - 8 * $0) & 0xFF) }
    let hearing = try FrameReader.refuse([0x82, 0xFF] + announced, limit: 65_536)
    #expect(hearing.error?.code == .messageTooBig)
    #expect(hearing.size <= 10)
    let continued = try FrameReader.refuse(clientFrame(0x01, [97]) + [0x80, 0xFF] + announced, limit: 65_536)
    #expect(continued.error?.code == .messageTooBig)
  }

  @Test("without a limit the longest frame is waited for, not computed with")
  func unlimitedReader_doesNotOverflow() throws {
    let longest = [0xFF] + [0x7F] + [UInt8](repeating: 0xFF, count: 7)
    let server = FrameReader.hear([0x82] + longest + [1, 2, 3, 4, 5], limit: .max)
    #expect(server == Hearing(size: 15))
    let continued = FrameReader.hear(clientFrame(0x02, [1]) + [0x80] + longest, limit: .max)
    #expect(continued.error?.code == .messageTooBig)
  }

  @Test("a peer that sends empty fragments for ever costs no memory")
  func emptyFragments_costNothing() throws {
    var reader = FrameReader(role: .server, messageLimit: 10)
    var buffer = ReceiveBuffer()
    buffer.receive(clientFrame(0x01, [97]))
    for _ in 0..<10_000 {
      buffer.receive(clientFrame(0x00, []))
      #expect(try reader.nextEvent(from: &buffer) == nil)
    }
    #expect(buffer.capacity < 100)
    buffer.receive(clientFrame(0x80, [98]))
    #expect(try reader.nextEvent(from: &buffer) == .text(.assembled([97, 98])))
  }
}
