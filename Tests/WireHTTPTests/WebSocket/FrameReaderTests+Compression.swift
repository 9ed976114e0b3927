import Testing
import Wire

@testable import WireHTTP

extension FrameReaderTests {
  @Suite("RFC 7692 §6 Compressed messages in frames")
  struct Compression {
    /// §7.2.3: frames of a server, and what they say.
    static let examples: [(name: String, bytes: [UInt8])] = [
      ("§7.2.3.1 one frame", [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
      ("§7.2.3.1 two frames", [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00]),
      (
        "§7.2.3.3 a stored block", [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
      ),
      ("§7.2.3.4 a last block", [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]),
      (
        "§7.2.3.5 two blocks",
        [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
      ),
      ("§6.1 not compressed after all", [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]),
    ]

    @Test("§7.2.3: the examples are understood", arguments: examples)
    func example_isUnderstood(name: String, bytes: [UInt8]) throws {
      #expect(try FrameReader.accept(bytes, role: .client, inflating: .anew) == [.text("Hello")])
    }

    @Test("§7.2.3.2: the second message refers to the first, and whoever begins anew cannot read it")
    func context_isTakenOver() throws {
      let bytes: [UInt8] = [
        0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00,
      ]
      let said: [Heard] = [.text("Hello"), .text("Hello")]
      #expect(try FrameReader.accept(bytes, role: .client, inflating: .takenOver) == said)
      let refusal = try FrameReader.refuse(bytes, role: .client, inflating: .anew)
      #expect(refusal.error?.code == .invalidData)
      #expect(refusal.events == [.text("Hello")])
    }

    @Test("§7.1.1: a message refers to one that another process has read, as that has told what it was")
    func context_isNoted() throws {
      let first = viewText(700)
      for direction in [PerMessageDeflate.Direction.takenOver, .anew] {
        let deflater = Deflater(direction)
        _ = deflater.deflated(first)
        let second = clientFrame(0xC2, deflater.deflated(first + [1]))
        for isNoted in [true, false] {
          var reader = FrameReader(role: .server, messageLimit: 1 << 20, inflater: Inflater(direction))
          if isNoted { reader.noteContext(first.span) }
          var buffer = ReceiveBuffer()
          buffer.append(second.span)
          let event = try? reader.nextEvent(from: &buffer)
          #expect((event != nil) == (isNoted || !direction.keepsContext))
          guard case .binary(let payload)? = event else { continue }
          #expect(buffer.withPayload(payload) { Array(copying: $0) } == first + [1])
          #expect(reader.wasCompressed)
          buffer.append(clientFrame(0x82, [1]).span)
          _ = try reader.nextEvent(from: &buffer)
          #expect(!reader.wasCompressed)
        }
      }
    }

    @Test("§6.2: a deflated message may be cut anywhere, with control frames at the cuts", arguments: [0x41, 0x42])
    func fragments_areJoinedBeforeTheyAreInflated(first: UInt8) throws {
      let text = viewText(300)
      let payload = Deflater(.anew).deflated(text)
      let message: Heard = first == 0x41 ? .text(String(decoding: text, as: UTF8.self)) : .binary(text)
      for cut in stride(from: 0, through: payload.count, by: 7) {
        let frames =
          clientFrame(first, Array(payload[..<cut])) + clientFrame(0x89, [1]) + clientFrame(0x00, [])
          + clientFrame(0x80, Array(payload[cut...]))
        #expect(try FrameReader.accept(frames, inflating: .anew) == [.ping([1]), message])
      }
    }

    @Test("compressed messages and others follow each other")
    func kinds_mayMix() throws {
      let text = viewText(500)
      let payload = Deflater(.anew).deflated(text)
      let frames =
        clientFrame(0x82, text) + clientFrame(0xC2, payload) + clientFrame(0x02, text) + clientFrame(0x80, [])
        + clientFrame(0x42, payload) + clientFrame(0x80, []) + clientFrame(0xC2, [0x00])
      let said: [Heard] = [.binary(text), .binary(text), .binary(text), .binary(text), .binary([])]
      #expect(try FrameReader.accept(frames, inflating: .anew) == said)
    }

    @Test("many readers share an inflater, message by message, also while others are in one")
    func inflater_isSharedBetweenMessages() throws {
      let inflater = Inflater(.anew)
      var readers = (0..<10).map { _ in FrameReader(role: .server, messageLimit: 10_000, inflater: inflater) }
      var buffers = readers.map { _ in ReceiveBuffer() }
      let texts = readers.indices.map { viewText(700, seed: UInt64($0)) }
      let frames = texts.map { clientFrame(0xC1, Deflater(.anew).deflated($0)) }
      let longest = try #require(frames.map(\.count).max())
      var heard: [Int: Heard] = [:]
      for position in 0..<longest {
        for index in readers.indices where position < frames[index].count {
          buffers[index].receive([frames[index][position]])
          if let event = try readers[index].nextEvent(from: &buffers[index]) {
            heard[index] = Heard(event, buffers[index])
          }
        }
      }
      for index in readers.indices { #expect(heard[index] == .text(String(decoding: texts[index], as: UTF8.self))) }
    }

    // MARK: Refusals

    static let refusals: [Refusal] = [
      Refusal(.protocolError, "§6.1 RSV1 on a ping", clientFrame(0xC9, [1]), seenAfter: 1),
      Refusal(.protocolError, "§6.1 RSV1 on a close", clientFrame(0xC8, []), seenAfter: 1),
      Refusal(
        .protocolError, "§6.1 RSV1 on a continuation", clientFrame(0x41, [0xF2]) + clientFrame(0xC0, [1]), seenAfter: 8),
      Refusal(
        .protocolError, "§6.1 RSV1 on a continuation of what is not compressed",
        clientFrame(0x01, [0x61]) + clientFrame(0xC0, [1]), seenAfter: 8),
      Refusal(.protocolError, "§5.2 RSV2", clientFrame(0xE1, [1]), seenAfter: 1),
      Refusal(.protocolError, "§5.2 RSV3", clientFrame(0xD1, [1]), seenAfter: 1),
      Refusal(.invalidData, "§7.2.2 not deflated", clientFrame(0xC2, [0x06])),
      Refusal(.invalidData, "§7.2.2 not whole", clientFrame(0x42, [0xF2, 0x48]) + clientFrame(0x80, [0xCD])),
      Refusal(.invalidData, "§8.1 not UTF-8", clientFrame(0xC1, Deflater(.anew).deflated([0x61, 0xFF]))),
    ]

    @Test("what RFC 7692 forbids ends the connection with its code", arguments: refusals)
    func forbiddenFrame_isRefused(refusal: Refusal) throws {
      let hearing = try FrameReader.refuse(refusal.bytes, inflating: .anew)
      #expect(hearing.error?.code == refusal.code)
      #expect(hearing.size == refusal.seenAfter)
      #expect(hearing.events == refusal.before)
    }

    @Test("§6: without an agreement RSV1 is a fault of the first byte")
    func compressionWithoutAgreement_isRefused() throws {
      let hearing = try FrameReader.refuse(clientFrame(0xC1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]))
      #expect(hearing.error?.code == .protocolError)
      #expect(hearing.size == 1)
    }

    // MARK: Limits

    @Test("the limit is one of inflated bytes, for one frame and for several")
    func limit_isOfInflatedBytes() throws {
      let message = [UInt8](repeating: 0x20, count: 5000)
      let payload = Deflater(.anew).deflated(message)
      let whole = clientFrame(0xC2, payload)
      let parts = clientFrame(0x42, Array(payload[..<3])) + clientFrame(0x80, Array(payload[3...]))
      for bytes in [whole, parts] {
        #expect(try FrameReader.accept(bytes, limit: 5000, inflating: .anew) == [.binary(message)])
        let refusal = try FrameReader.refuse(bytes, limit: 4999, inflating: .anew)
        #expect(refusal.error?.code == .messageTooBig)
      }
    }

    @Test("what compression makes longer still fits")
    func incompressibleMessage_fitsTheLimit() throws {
      let message = noise(100_000)
      let payload = Deflater(.anew).deflated(message)
      #expect(payload.count > message.count)
      #expect(
        try FrameReader.accept(clientFrame(0xC2, payload), limit: message.count, inflating: .anew) == [.binary(message)]
      )
    }

    @Test("no more compressed bytes are kept than a message of the limit can have, whatever they say")
    func endlessEmptyBlocks_areRefused() throws {
      // Each is an empty stored block: it inflates to nothing.
      let blocks = [[UInt8]](repeating: [0x00, 0x00, 0x00, 0xFF, 0xFF], count: 200).flatMap(\.self)
      let frames = clientFrame(0x42, blocks) + clientFrame(0x00, blocks)
      let hearing = try FrameReader.refuse(frames, limit: 100, inflating: .anew)
      #expect(hearing.error?.code == .messageTooBig)
      #expect(hearing.size < clientFrame(0x42, blocks).count + 8)
    }
  }
}
