import RibTestSupport
import Testing

@testable import WireHTTP

extension FrameReaderTests {
  @Suite("RFC 6455 §5 Frames that arrive in parts")
  struct Parts {
    private static let size = 1 << 20
    private static let payload: [UInt8] = {
      var generator = SeededGenerator(state: 6455)
      return (0..<size).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
    }()

    @Test(
      "what has come of a large frame is taken at once, and its memory is that of the message", arguments: [0x81, 0x82])
    func largeFrame_isTakenAsItComes(first: UInt8) throws {
      let frame = clientFrame(first, Self.payload)
      var reader = FrameReader(role: .server, messageLimit: Self.size)
      var buffer = ReceiveBuffer()
      var read: WebSocketEvent?
      for start in stride(from: 0, to: frame.count, by: 1447) {
        #expect(read == nil)
        buffer.receive(Array(frame[start..<min(start + 1447, frame.count)]))
        read = try reader.nextEvent(from: &buffer)
        // Nothing is left that the next part would have to be looked at with.
        #expect(buffer.isEmpty)
      }
      switch read {
      case .text(.assembled(let bytes))?, .binary(.assembled(let bytes))?:
        #expect(bytes == Self.payload)
        #expect(bytes.capacity < Self.size + 4096)
      default: Issue.record("\(String(describing: read))")
      }
      #expect(buffer.capacity < 4096)
    }

    @Test("the key goes on where the last part ended", arguments: 1...9)
    func key_goesOnWhereAPartEnded(size: Int) throws {
      let payload = Array(Self.payload.prefix(100))
      let frame = clientFrame(0x82, payload)
      var reader = FrameReader(role: .server, messageLimit: 100)
      var buffer = ReceiveBuffer()
      var heard: [Heard] = []
      for start in stride(from: 0, to: frame.count, by: size) {
        buffer.receive(Array(frame[start..<min(start + size, frame.count)]))
        while let event = try reader.nextEvent(from: &buffer) { heard.append(Heard(event, buffer)) }
      }
      #expect(heard == [.binary(payload)])
    }

    @Test("a control frame is waited for as a whole, and stays where it is")
    func controlFrame_isNotTakenInParts() throws {
      var reader = FrameReader(role: .server, messageLimit: 10)
      var buffer = ReceiveBuffer()
      let ping = clientFrame(0x89, [1, 2, 3])
      buffer.receive(Array(ping.dropLast()))
      #expect(try reader.nextEvent(from: &buffer) == nil)
      #expect(buffer.count == ping.count - 1)
      buffer.receive([try #require(ping.last)])
      #expect(try reader.nextEvent(from: &buffer) == .ping(.received(6..<9)))
    }

    @Test("after an error nothing is read")
    func afterAnError_nothingIsRead() throws {
      var reader = FrameReader(role: .server, messageLimit: 10)
      var buffer = ReceiveBuffer()
      buffer.receive(Array(clientFrame(0x81, [0xFF, 0x61]).dropLast()))
      #expect(throws: WebSocketError.notUTF8) { try reader.nextEvent(from: &buffer) }
      buffer.receive(clientFrame(0x81, [0x61]))
      #expect(try reader.nextEvent(from: &buffer) == nil)
    }
  }
}
