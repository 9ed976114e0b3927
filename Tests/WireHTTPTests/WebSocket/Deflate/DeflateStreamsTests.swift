import Testing

@testable import WireHTTP

@Suite struct DeflateStreamsTests {
  @Test func directionsWithoutContext_shareStreams() {
    let streams = DeflateStreams()
    let inflater = streams.inflater(for: .anew)
    #expect(streams.inflater(for: PerMessageDeflate.Direction(keepsContext: false, windowBits: 9)) === inflater)
    let deflater = streams.deflater(for: .anew)
    #expect(streams.deflater(for: .anew) === deflater)
    // A peer with a small window is not sent what was deflated with a larger one.
    #expect(streams.deflater(for: PerMessageDeflate.Direction(keepsContext: false, windowBits: 9)) !== deflater)
  }

  @Test func directionsWithContext_haveTheirOwn() {
    let streams = DeflateStreams()
    #expect(streams.inflater(for: .takenOver) !== streams.inflater(for: .takenOver))
    #expect(streams.deflater(for: .takenOver) !== streams.deflater(for: .takenOver))
    #expect(streams.deflater(for: .takenOver) !== streams.deflater(for: .anew))
  }

  @Test func sharedInflater_readsAnyWindow() throws {
    let streams = DeflateStreams()
    let inflater = streams.inflater(for: PerMessageDeflate.Direction(keepsContext: false, windowBits: 8))
    let message = viewText(50_000)
    for bits in 9...15 {
      let direction = PerMessageDeflate.Direction(keepsContext: false, windowBits: bits)
      let deflater = try #require(streams.deflater(for: direction))
      #expect(try inflater.inflated(deflater.deflated(message)) == message)
    }
  }

  @Test func windowOfEightBits_isNotDeflatedWith() {
    #expect(DeflateStreams().deflater(for: PerMessageDeflate.Direction(keepsContext: false, windowBits: 8)) == nil)
  }
}
