import Testing
import Wire

@testable import WireHTTP

extension FrameWriterTests {
  @Suite("RFC 7692 §6.1 Writing compressed messages")
  struct Compression {
    private static var writer: FrameWriter { FrameWriter.server.compressing(Deflater(.anew), threshold: 100) }

    @Test("a message from the threshold on is compressed, one below is not")
    func threshold_decides() {
      for size in [0, 1, 99, 100, 101, 5000] {
        let text = Array(viewText(max(size, 1)).prefix(size))
        var bytes: [UInt8] = []
        Self.writer.text(text.span, into: &bytes)
        #expect(bytes[0] == (size < 100 ? 0x81 : 0xC1))
        var binary: [UInt8] = []
        Self.writer.binary(text.span, into: &binary)
        #expect(binary[0] == (size < 100 ? 0x82 : 0xC2))
      }
    }

    @Test("what gets no shorter is sent as it is, unless later messages may refer to it")
    func incompressibleMessage_isSentAsItIs() {
      let message = noise(1000)
      var bytes: [UInt8] = []
      Self.writer.binary(message.span, into: &bytes)
      #expect(bytes == [0x82, 0x7E, 0x03, 0xE8] + message)
      let keeping = FrameWriter.server.compressing(Deflater(.takenOver), threshold: 100)
      bytes = []
      keeping.binary(message.span, into: &bytes)
      keeping.binary(message.span, into: &bytes)
      #expect(bytes[0] == 0xC2)
      #expect(
        FrameReader.hear(bytes, role: .client, inflating: .takenOver).events == [.binary(message), .binary(message)])
    }

    @Test("control frames are never compressed")
    func controlFrames_areNotCompressed() {
      let data = [UInt8](repeating: 0x61, count: 120)
      let writer = FrameWriter.server.compressing(Deflater(.anew), threshold: 0)
      var bytes: [UInt8] = []
      writer.ping(data.span, into: &bytes)
      writer.pong(data.span, into: &bytes)
      writer.close(.normal, reason: String(repeating: "a", count: 100), into: &bytes)
      #expect([bytes[0], bytes[122], bytes[244]] == [0x89, 0x8A, 0x88])
    }

    @Test("without a deflater nothing is compressed")
    func writerWithoutDeflater_compressesNothing() {
      let text = viewText(1000)
      var bytes: [UInt8] = []
      FrameWriter.server.compressing(nil, threshold: 0).text(text.span, into: &bytes)
      #expect(bytes[0] == 0x81)
    }

    @Test("what one end compresses the other reads, both ways, with and without context", arguments: [true, false])
    func messages_comeBack(keepsContext: Bool) {
      let direction = PerMessageDeflate.Direction(keepsContext: keepsContext)
      let messages = [viewText(200), [], noise(3000), viewText(70_000), Array("short".utf8), viewText(200)]
      for role in [FrameReader.Role.server, .client] {
        let plain = role == .server ? FrameWriter.client { 0x3D21_FA37 } : FrameWriter.server
        let writer = plain.compressing(Deflater(direction), threshold: 0)
        var bytes: [UInt8] = []
        for message in messages { writer.binary(message.span, into: &bytes) }
        let hearing = FrameReader.hear(bytes, role: role, inflating: direction)
        #expect(hearing.events == messages.map { .binary($0) })
        #expect(FrameReader.hear(bytes, oneByOne: true, role: role, inflating: direction) == hearing)
      }
    }
  }
}
