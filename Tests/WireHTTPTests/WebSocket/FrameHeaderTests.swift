import Testing
import Wire

@testable import WireHTTP

@Suite("RFC 6455 §5.2 Frame headers")
struct FrameHeaderTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let bytes: [UInt8]
    var isFinal = true
    let opcode: FrameHeader.Opcode
    let length: Int
    var mask: UInt32?
    var testDescription: String { "\(bytes)" }
  }

  static let rows: [Row] = [
    Row(bytes: [0x81, 0x05], opcode: .text, length: 5),
    Row(bytes: [0x82, 0x00], opcode: .binary, length: 0),
    Row(bytes: [0x01, 0x7D], isFinal: false, opcode: .text, length: 125),
    Row(bytes: [0x00, 0x01], isFinal: false, opcode: .continuation, length: 1),
    Row(bytes: [0x80, 0x01], opcode: .continuation, length: 1),
    Row(bytes: [0x88, 0x02], opcode: .close, length: 2),
    Row(bytes: [0x89, 0x7D], opcode: .ping, length: 125),
    Row(bytes: [0x8A, 0x00], opcode: .pong, length: 0),
    Row(bytes: [0x81, 0x7E, 0x00, 0x7E], opcode: .text, length: 126),
    Row(bytes: [0x82, 0x7E, 0xFF, 0xFF], opcode: .binary, length: 65_535),
    Row(bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0], opcode: .binary, length: 65_536),
    Row(bytes: [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], opcode: .binary, length: .max),
    Row(bytes: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D], opcode: .text, length: 5, mask: 0x3D21_FA37),
    Row(bytes: [0x89, 0x80, 0, 0, 0, 0], opcode: .ping, length: 0, mask: 0),
    Row(bytes: [0x82, 0xFE, 0x01, 0x00, 1, 2, 3, 4], opcode: .binary, length: 256, mask: 0x0403_0201),
    Row(
      bytes: [0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 0xFF, 0, 0, 0x80], opcode: .binary, length: 65_536, mask: 0x8000_00FF),
  ]

  @Test("a header says what follows", arguments: rows)
  func header_isRead(row: Row) throws {
    for tail in [[], [0xFF], [UInt8](repeating: 0, count: 100)] {
      let header = try #require(try Self.parse(row.bytes + tail, isMasked: row.mask != nil))
      #expect(header.isFinal == row.isFinal)
      #expect(header.opcode == row.opcode)
      #expect(header.length == row.length)
      #expect(header.mask == row.mask)
      #expect(header.size == row.bytes.count)
    }
  }

  @Test("a part of a header says nothing", arguments: rows)
  func partOfAHeader_saysNothing(row: Row) throws {
    for count in 0..<row.bytes.count {
      #expect(try Self.parse(Array(row.bytes[..<count]), isMasked: row.mask != nil) == nil)
    }
  }

  /// What a server refuses, and how many bytes it takes to see it.
  static let refused: [(section: String, bytes: [UInt8], seenAfter: Int)] = [
    ("§5.2", [0xC1, 0x80], 1), ("§5.2", [0xA1, 0x80], 1), ("§5.2", [0x91, 0x80], 1), ("§5.2", [0xF0, 0x80], 1),
    ("§5.2", [0xC9, 0x80], 1), ("§5.2", [0xC0, 0x80], 1),
    ("§5.2", [0x83, 0x80], 1), ("§5.2", [0x84, 0x80], 1), ("§5.2", [0x87, 0x80], 1), ("§5.2", [0x8B, 0x80], 1),
    ("§5.2", [0x8F, 0x80], 1), ("§5.1", [0x81, 0x00], 2), ("§5.1", [0x88, 0x02], 2), ("§5.5", [0x08, 0x80], 1),
    ("§5.5", [0x09, 0x80], 1), ("§5.5", [0x0A, 0x80], 1), ("§5.5", [0x89, 0xFE], 2), ("§5.5", [0x88, 0xFF], 2),
    ("§5.2", [0x81, 0xFE, 0x00, 0x00], 4), ("§5.2", [0x81, 0xFE, 0x00, 0x7D], 4),
    ("§5.2", [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0], 8), ("§5.2", [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 8),
    ("§5.2", [0x81, 0xFF, 0x80, 0, 0, 0, 0, 1, 0, 0], 3),
    ("§5.2", [0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 3),
  ]

  @Test("a header that the RFC forbids is refused as soon as it shows", arguments: refused)
  func forbiddenHeader_isRefused(section: String, bytes: [UInt8], seenAfter: Int) throws {
    for count in 0..<seenAfter {
      #expect(try Self.parse(Array(bytes[..<count]), isMasked: true) == nil)
    }
    for bytes in [Array(bytes[..<seenAfter]), bytes + [1, 2, 3, 4, 5]] {
      var rules = Self.rules(isMasked: true)
      if bytes[0] & 0x0F == 0 { rules.begun = (0, false) }
      let error = #expect(throws: WebSocketError.self) { try FrameHeader.parse(bytes.span, rules) }
      #expect(error?.code == .protocolError)
      #expect(error?.reason.contains("RFC 6455 \(section)") == true)
    }
  }

  @Test("§5.1: a client refuses a masked frame")
  func maskedFrame_isRefusedByAClient() {
    #expect(throws: WebSocketError("A frame is masked. (RFC 6455 §5.1)")) {
      try Self.parse([0x81, 0x85], isMasked: false)
    }
  }

  @Test("every opcode is known for what it is")
  func opcodes_areKnown() {
    let known = (UInt8.min...UInt8.max).filter { FrameHeader.Opcode(rawValue: $0) != nil }
    #expect(known == [0, 1, 2, 8, 9, 10])
    #expect(known.filter { FrameHeader.Opcode(rawValue: $0)?.isControl == true } == [8, 9, 10])
  }

  // MARK: What went before

  static let turns: [(first: UInt8, isInMessage: Bool, isFine: Bool)] = [
    (0x81, false, true), (0x02, false, true), (0x80, false, false), (0x00, false, false),
    (0x80, true, true), (0x00, true, true), (0x81, true, false), (0x02, true, false),
    (0x88, false, true), (0x89, true, true), (0x8A, true, true),
  ]

  @Test("§5.4: a message begins once and is continued, control frames come at any time", arguments: turns)
  func opcode_hasToBeItsTurn(first: UInt8, isInMessage: Bool, isFine: Bool) throws {
    var rules = Self.rules(isMasked: true)
    if isInMessage { rules.begun = (1, false) }
    guard !isFine else {
      #expect(try FrameHeader.parse([first, 0x80, 1, 2, 3, 4].span, rules) != nil)
      return
    }
    #expect(throws: WebSocketError.self) { try FrameHeader.parse([first].span, rules) }
  }

  static let compressed: [(first: UInt8, isInMessage: Bool, isFine: Bool)] = [
    (0xC1, false, true), (0x42, false, true), (0xC0, true, false), (0x40, true, false), (0xC9, false, false),
    (0xCA, false, false), (0xC8, true, false), (0xE1, false, false), (0xD1, false, false),
  ]

  @Test("RFC 7692 §6.1: RSV1 is set on the first frame of a message, and nowhere else", arguments: compressed)
  func compressionBit_hasItsPlace(first: UInt8, isInMessage: Bool, isFine: Bool) throws {
    var rules = Self.rules(isMasked: true)
    rules.allowsCompression = true
    if isInMessage { rules.begun = (1, true) }
    guard !isFine else {
      #expect(try FrameHeader.parse([first, 0x80, 1, 2, 3, 4].span, rules)?.isCompressed == true)
      return
    }
    let error = #expect(throws: WebSocketError.self) { try FrameHeader.parse([first].span, rules) }
    #expect(error?.code == .protocolError)
  }

  static let limits: [(limit: Int, bytes: [UInt8], seenAfter: Int?)] = [
    (5, [0x82, 0x05], nil), (4, [0x82, 0x05], 2), (126, [0x82, 0x7E, 0x00, 0x7E], nil),
    (126, [0x82, 0x7E, 0x00, 0x7F], 4), (126, [0x82, 0x7E, 0x01, 0x00], 3),
    (65_536, [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0], nil), (65_536, [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 1], 10),
    (65_536, [0x82, 0x7F, 0, 0, 0, 0, 5, 0, 0, 0], 7), (65_536, [0x82, 0x7F, 0x7F, 0, 0, 0, 0, 0, 0, 0], 3),
  ]

  @Test("a length above the limit is refused at the byte that shows it", arguments: limits)
  func length_isLimited(limit: Int, bytes: [UInt8], seenAfter: Int?) throws {
    let rules = FrameHeader.Rules(isMasked: false, messageLimit: limit)
    for count in 0...bytes.count {
      let part = Array(bytes[..<count])
      if let seenAfter, count >= seenAfter {
        let error = #expect(throws: WebSocketError.self) { try FrameHeader.parse(part.span, rules) }
        #expect(error?.code == .messageTooBig)
      } else {
        #expect(try (FrameHeader.parse(part.span, rules) != nil) == (count == bytes.count))
      }
    }
  }

  private static func rules(isMasked: Bool) -> FrameHeader.Rules {
    FrameHeader.Rules(isMasked: isMasked, messageLimit: .max)
  }

  private static func parse(_ bytes: [UInt8], isMasked: Bool) throws(WebSocketError) -> FrameHeader? {
    var rules = rules(isMasked: isMasked)
    if let first = bytes.first, first & 0x0F == 0 { rules.begun = (0, false) }
    return try FrameHeader.parse(bytes.span, rules)
  }
}
