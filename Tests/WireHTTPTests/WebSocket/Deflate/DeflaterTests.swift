import Testing
import Wire

@testable import WireHTTP

@Suite("RFC 7692 §7.2.1 Deflating")
struct DeflaterTests {
  @Test("§7.2.3.1: the first example is what is made of it")
  func hello_isDeflated() {
    #expect(Deflater(.anew).deflated(Array("Hello".utf8)) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
  }

  @Test("§7.2.3.6: an empty message is one byte, every time")
  func emptyMessage_isOneByte() {
    for direction in [PerMessageDeflate.Direction.anew, .takenOver] {
      let deflater = Deflater(direction)
      for _ in 0..<3 { #expect(deflater.deflated([]) == [0x00]) }
      #expect(deflater.deflated(Array("Hello".utf8)).first == 0xF2)
      #expect(deflater.deflated([]) == [0x00])
    }
  }

  static let sizes = [1, 2, 63, 64, 65, 255, 1000, 16_383, 65_536, 200_000]

  @Test("what is deflated is inflated to the same, with and without context", arguments: sizes)
  func message_comesBack(size: Int) throws {
    for direction in [PerMessageDeflate.Direction.anew, .takenOver] {
      let deflater = Deflater(direction)
      let inflater = Inflater(direction)
      for message in [viewText(size), noise(size), [UInt8](repeating: 0x61, count: size), viewText(size, seed: 1)] {
        let payload = deflater.deflated(message)
        #expect(payload.suffix(4) != [0x00, 0x00, 0xFF, 0xFF])
        #expect(try inflater.inflated(payload, limit: message.count) == message)
      }
    }
  }

  @Test("§7.1.1: with context the same again is next to nothing, without it is the same again")
  func context_makesRepetitionsSmall() {
    let message = viewText(1000)
    let keeping = Deflater(.takenOver)
    let first = keeping.deflated(message)
    #expect(keeping.deflated(message).count * 5 < first.count)
    let forgetting = Deflater(.anew)
    #expect(forgetting.deflated(message) == first)
    #expect(forgetting.deflated(message) == first)
  }

  @Test("§7.1.1: what was deflated and not sent is not referred to")
  func forgottenContext_isNotNeeded() throws {
    for direction in [PerMessageDeflate.Direction.anew, .takenOver] {
      let deflater = Deflater(direction)
      deflater.forgetContext()
      let inflater = Inflater(direction)
      for seed in 0..<3 {
        let message = viewText(1000, seed: UInt64(seed))
        #expect(try inflater.inflated(deflater.deflated(message), limit: message.count) == message)
        // Not sent.
        _ = deflater.deflated(viewText(1000, seed: UInt64(seed) + 1))
        deflater.forgetContext()
      }
    }
  }

  @Test("§7.1.2: nothing refers further back than the window", arguments: 9...15)
  func window_isNotExceeded(bits: Int) {
    for keepsContext in [true, false] {
      let deflater = Deflater(PerMessageDeflate.Direction(keepsContext: keepsContext, windowBits: bits))
      // What cannot be compressed, twice: the second half is found where the window reaches the first, and only there.
      let near = noise((1 << bits) - 300)
      #expect(deflater.deflated(near + near).count < near.count + near.count / 4)
      let far = noise((1 << bits) + 1, seed: 2)
      #expect(deflater.deflated(far + far).count > 2 * far.count)
    }
  }

  @Test("§7.1.2: what refers further back than the peer agreed to is refused")
  func window_isHeldTo() throws {
    let inflater = Inflater(PerMessageDeflate.Direction(keepsContext: true, windowBits: 9))
    let deflater = Deflater(.takenOver)
    let message = noise(1000)
    #expect(try inflater.inflated(deflater.deflated(message)) == message)
    let second = deflater.deflated(message)
    let error = #expect(throws: WebSocketError.self) { _ = try inflater.inflated(second) }
    #expect(error?.code == .invalidData)
  }

  @Test("zlib's missing window of 8 bits is nobody's by accident")
  func windowOfEightBits_traps() async {
    await #expect(processExitsWith: .failure) {
      _ = Deflater(PerMessageDeflate.Direction(keepsContext: false, windowBits: 8))
    }
  }
}
