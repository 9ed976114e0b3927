import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import WireHTTP

@Suite("RFC 6455 §5 Writing frames")
struct FrameWriterTests {
  static let hello = Array("Hello".utf8)

  /// The examples of §5.7 that are whole messages.
  @Test("§5.7: the examples are written as they stand")
  func examples_areWritten() {
    let client = FrameWriter.client { 0x3D21_FA37 }
    let masked: [UInt8] = [0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(Self.bytes { FrameWriter.server.text(Self.hello.span, into: &$0) } == [0x81, 0x05] + Self.hello)
    #expect(Self.bytes { client.text(Self.hello.span, into: &$0) } == [0x81, 0x85] + masked)
    #expect(Self.bytes { FrameWriter.server.ping(Self.hello.span, into: &$0) } == [0x89, 0x05] + Self.hello)
    #expect(Self.bytes { client.pong(Self.hello.span, into: &$0) } == [0x8A, 0x85] + masked)
    #expect(Self.bytes { FrameWriter.server.binary(Self.hello.span, into: &$0) } == [0x82, 0x05] + Self.hello)
  }

  static let headers: [(length: Int, header: [UInt8])] = [
    (0, [0x82, 0x00]), (1, [0x82, 0x01]), (125, [0x82, 0x7D]), (126, [0x82, 0x7E, 0x00, 0x7E]),
    (256, [0x82, 0x7E, 0x01, 0x00]), (65_535, [0x82, 0x7E, 0xFF, 0xFF]),
    (65_536, [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]),
    (16_909_060, [0x82, 0x7F, 0, 0, 0, 0, 1, 2, 3, 4]),
  ]

  @Test("§5.2: a length is written in its shortest form", arguments: headers)
  func length_isShortest(length: Int, header: [UInt8]) {
    let payload = [UInt8](repeating: 7, count: length)
    let bytes = Self.bytes { FrameWriter.server.binary(payload.span, into: &$0) }
    #expect(bytes.prefix(header.count) == header[...])
    #expect(bytes.count == header.count + length)
    let masked = Self.bytes { FrameWriter.client { 0 }.binary(payload.span, into: &$0) }
    #expect(masked.prefix(header.count) == [header[0], header[1] | 0x80] + header[2...])
    #expect(masked.count == header.count + 4 + length)
  }

  @Test("frames are written one after the other, each masked from its own start with its own key")
  func frames_followEachOther() {
    let keys = Mutex<[UInt32]>([0x0403_0201, 0xFF00_00FF])
    let client = FrameWriter.client { keys.withLock { $0.removeFirst() } }
    let bytes = Self.bytes { bytes in
      bytes.append(9)
      client.text([0, 0, 0, 0, 0].span, into: &bytes)
      client.binary([0, 0].span, into: &bytes)
    }
    #expect(bytes == [9, 0x81, 0x85, 1, 2, 3, 4, 1, 2, 3, 4, 1, 0x82, 0x82, 0xFF, 0, 0, 0xFF, 0xFF, 0])
  }

  static let closes: [(code: CloseCode?, reason: String, payload: [UInt8])] = [
    (nil, "", []), (nil, "not sent", []), (.normal, "", [0x03, 0xE8]),
    (.goingAway, "bye", [0x03, 0xE9] + Array("bye".utf8)),
    (CloseCode(rawValue: 4999), "\u{E9}", [0x13, 0x87, 0xC3, 0xA9]),
    (.normal, String(repeating: "a", count: 123), [0x03, 0xE8] + [UInt8](repeating: 97, count: 123)),
    (.normal, String(repeating: "a", count: 124), [0x03, 0xE8] + [UInt8](repeating: 97, count: 123)),
    (.normal, String(repeating: "a", count: 122) + "\u{E9}b", [0x03, 0xE8] + [UInt8](repeating: 97, count: 122)),
    (
      .normal, String(repeating: "\u{1F600}", count: 1000),
      [0x03, 0xE8] + Array(String(repeating: "\u{1F600}", count: 30).utf8)
    ),
  ]

  @Test("§5.5.1: a close frame holds a code and a reason, cut between characters to 123 bytes", arguments: closes)
  func close_isWritten(code: CloseCode?, reason: String, payload: [UInt8]) {
    let bytes = Self.bytes { FrameWriter.server.close(code, reason: reason, into: &$0) }
    #expect(bytes == [0x88, UInt8(payload.count)] + payload)
  }

  @Test("§5.5: a control frame of more than 125 bytes is the caller's fault")
  func longPing_traps() async {
    await #expect(processExitsWith: .failure) {
      var bytes: [UInt8] = []
      FrameWriter.server.ping([UInt8](repeating: 0, count: 126).span, into: &bytes)
    }
  }

  // MARK: There and back

  static let keys: [UInt32] = [0, 1, 0x8000_0000, 0xFFFF_FFFF, 0x0102_0304, 0xFF00_FF00, 0x00FF_0000, 0x3D21_FA37]

  @Test("what a writer writes its reader reads", arguments: [0, 1, 125, 126, 65_535, 65_536])
  func frame_comesBack(size: Int) throws {
    var generator = SeededGenerator(state: UInt64(size))
    let data = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let text = (0..<size).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
    let events: [Heard] = [.binary(data), .text(String(decoding: text, as: UTF8.self))]
    func write(_ writer: FrameWriter) -> [UInt8] {
      Self.bytes { bytes in
        writer.binary(data.span, into: &bytes)
        writer.text(text.span, into: &bytes)
      }
    }
    #expect(FrameReader.hear(write(.server), role: .client).events == events)
    for key in Self.keys {
      let bytes = write(.client { key })
      #expect(FrameReader.hear(bytes).events == events)
      #expect(bytes == clientFrame(0x82, data, key: key.bytes) + clientFrame(0x81, text, key: key.bytes))
    }
  }

  @Test("§5.3: masking is an exclusive-or with the key, byte by byte, and its own inverse", arguments: keys)
  func masking_isByteWise(key: UInt32) {
    for length in 0...40 {
      for offset in 0..<16 {
        let bytes = (0..<offset + length + 9).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        var expected = bytes
        for index in 0..<length { expected[offset + index] ^= key.bytes[index % 4] }
        var masked = bytes
        func apply() {
          masked.withUnsafeMutableBytes { all in
            Masking.apply(key, to: UnsafeMutableRawBufferPointer(rebasing: all[offset..<offset + length]))
          }
        }
        apply()
        #expect(masked == expected)
        apply()
        #expect(masked == bytes)
      }
    }
  }

  private static func bytes(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    write(&bytes)
    return bytes
  }
}

extension UInt32 {
  /// The four bytes of a masking key in the order in which they are sent.
  fileprivate var bytes: [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
