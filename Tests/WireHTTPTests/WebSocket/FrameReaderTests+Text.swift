import Testing

@testable import WireHTTP

extension FrameReaderTests {
  @Suite("RFC 6455 §8.1 Text as it arrives")
  struct Text {
    @Test("text is read wherever reads and frames cut it")
    func text_isReadHoweverItIsCut() throws {
      let bytes = Array(wideText.utf8)
      for cut in 0...bytes.count {
        let frames = clientFrame(0x01, Array(bytes[..<cut])) + clientFrame(0x80, Array(bytes[cut...]))
        #expect(try FrameReader.accept(frames) == [.text(wideText)])
      }
      #expect(try FrameReader.accept(clientFrame(0x81, bytes)) == [.text(wideText)])
    }

    @Test(
      "broken text fails the connection within the frame, however much of it is still to come", arguments: brokenTexts)
    func brokenText_failsWithinTheFrame(name: String, bytes: [UInt8], seenAfter: Int) {
      for before in ["", "\u{E9}", String(repeating: "\u{20AC}", count: 100)] {
        let payload = Array(before.utf8) + bytes
        let frame = clientFrame(0x81, payload + [UInt8](repeating: 0x61, count: 1000))
        let header = frame.count - payload.count - 1000
        let hearing = FrameReader.hear(Array(frame.dropLast(1000)), oneByOne: true)
        #expect(hearing.error == .notUTF8)
        #expect(hearing.size == header + before.utf8.count + seenAfter)
      }
    }

    @Test("so it does in a later frame, whose first byte may be the bad one", arguments: brokenTexts)
    func brokenText_failsInAContinuation(name: String, bytes: [UInt8], seenAfter: Int) {
      for cut in 0..<seenAfter {
        let first = clientFrame(0x01, [0x61] + bytes[..<cut]) + clientFrame(0x89, [0xFF])
        let second = clientFrame(0x00, bytes[cut...] + [UInt8](repeating: 0x61, count: 20))
        let hearing = FrameReader.hear(first + second, oneByOne: true)
        #expect(hearing.error == .notUTF8)
        #expect(hearing.events == [.ping([0xFF])])
        #expect(hearing.size == first.count + 6 + seenAfter - cut)
      }
    }

    @Test("binary messages and pings hold any bytes", arguments: brokenTexts)
    func otherPayloads_areNotText(name: String, bytes: [UInt8], seenAfter: Int) throws {
      let frames = clientFrame(0x02, bytes) + clientFrame(0x89, bytes) + clientFrame(0x80, bytes)
      #expect(try FrameReader.accept(frames) == [.ping(bytes), .binary(bytes + bytes)])
    }
  }
}
