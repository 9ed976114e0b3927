import Testing
import Wire

@testable import WireHTTP

@Suite("RFC 7692 §7.2.2 Inflating")
struct InflaterTests {
  static let hello = Array("Hello".utf8)

  /// §7.2.3: the same message, deflated in several ways.
  static let payloads: [(name: String, bytes: [UInt8])] = [
    ("§7.2.3.1 one block", [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
    ("§7.2.3.3 a stored block", [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]),
    ("§7.2.3.4 a last block, and an empty one", [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]),
    ("§7.2.3.4 a last block, and nothing", [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
    (
      "§7.2.3.5 two blocks", [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
    ),
    (
      "two blocks that are both the last", [0xF3, 0x48, 0x05, 0x00, 0xCB, 0xC9, 0xC9, 0x07, 0x00]
    ),
  ]

  @Test("§7.2.3: the examples are understood, again and again", arguments: payloads)
  func example_isInflated(name: String, bytes: [UInt8]) throws {
    for direction in [PerMessageDeflate.Direction.anew, .takenOver] {
      let inflater = Inflater(direction)
      for _ in 0..<3 { #expect(try inflater.inflated(bytes, isText: true) == Self.hello) }
    }
  }

  @Test("§7.2.3.2: a message may refer to the one before it, if that was agreed on")
  func context_isKeptIfAgreed() throws {
    let first: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    let keeping = Inflater(.takenOver)
    #expect(try keeping.inflated(first) == Self.hello)
    #expect(try keeping.inflated(second) == Self.hello)
    let forgetting = Inflater(.anew)
    #expect(try forgetting.inflated(first) == Self.hello)
    let error = #expect(throws: WebSocketError.self) { try forgetting.inflated(second) }
    #expect(error?.code == .invalidData)
    // Others use the same stream, and do not notice.
    #expect(try forgetting.inflated(first) == Self.hello)
  }

  @Test("§7.2.3.6: an empty message", arguments: [[0x00], [], [0x02, 0x00], [0x03, 0x00], [0x03, 0x00, 0x00]])
  func emptyMessage_isInflated(bytes: [UInt8]) throws {
    for limit in [0, 1, 100] { #expect(try Inflater(.anew).inflated(bytes, limit: limit, isText: true) == []) }
  }

  static let broken: [(name: String, bytes: [UInt8])] = [
    ("an unknown kind of block", [0x06]),
    ("a stored block whose length is doubted", [0x00, 0x05, 0x00, 0x00, 0x00, 0x48]),
    ("a distance too far back", [0xF2, 0x00, 0x11, 0x00, 0x00]),
    ("a block without its end", [0xF2, 0x48, 0xCD]),
    ("a stored block without its end", [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65]),
    ("no room for the tail", [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07]),
    ("the tail that should have been left out", [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x00, 0xFF, 0xFF]),
    ("what is not deflated at all", Array("Hello, world".utf8)),
    ("rubbish after the last block", [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xFF, 0xFF]),
  ]

  @Test("what is not deflated, or not whole, is invalid data", arguments: broken)
  func brokenMessage_isRefused(name: String, bytes: [UInt8]) throws {
    let inflater = Inflater(.anew)
    let error = #expect(throws: WebSocketError.self) { try inflater.inflated(bytes) }
    #expect(error?.code == .invalidData)
    #expect(try inflater.inflated([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]) == Self.hello)
  }

  // MARK: Text

  @Test("text is checked when it is inflated, in pieces as they come", arguments: brokenTexts)
  func brokenText_isRefused(name: String, bytes: [UInt8], seenAfter: Int) throws {
    let deflater = Deflater(.anew)
    for before in [0, 1, 255, 256, 5000] {
      let payload = deflater.deflated([UInt8](repeating: 0x61, count: before) + bytes)
      #expect(throws: WebSocketError.notUTF8) { try Inflater(.anew).inflated(payload, isText: true) }
      #expect(try Inflater(.anew).inflated(payload).count == before + bytes.count)
    }
  }

  @Test("text that ends within a character is refused")
  func cutText_isRefused() {
    let payload = Deflater(.anew).deflated([0x61, 0xE2, 0x82])
    #expect(throws: WebSocketError.notUTF8) { try Inflater(.anew).inflated(payload, isText: true) }
  }

  // MARK: Limits

  @Test("a message may have just as many bytes as the limit", arguments: [1, 2, 255, 256, 257, 1000, 65_536, 200_000])
  func messageAtTheLimit_isInflated(size: Int) throws {
    for message in [[UInt8](repeating: 7, count: size), noise(size)] {
      let payload = Deflater(.anew).deflated(message)
      #expect(try Inflater(.anew).inflated(payload, limit: size) == message)
      let error = #expect(throws: WebSocketError.self) { try Inflater(.anew).inflated(payload, limit: size - 1) }
      #expect(error?.code == .messageTooBig)
    }
  }

  @Test("a bomb is refused once the limit is passed, and the stream is of use to others")
  func bomb_isRefused() throws {
    let deflater = Deflater(.anew)
    let bomb = deflater.deflated([UInt8](repeating: 0x20, count: 5_000_000))
    #expect(bomb.count < 25_000)
    let inflater = Inflater(.anew)
    for _ in 0..<3 {
      let error = #expect(throws: WebSocketError.self) { try inflater.inflated(bomb, limit: 65_536) }
      #expect(error?.code == .messageTooBig)
    }
    #expect(try inflater.inflated(deflater.deflated(Self.hello)) == Self.hello)
  }
}
