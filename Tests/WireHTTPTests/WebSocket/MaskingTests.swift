import Testing

@testable import WireHTTP

@Suite("RFC 6455 §5.3 Masking in parts")
struct MaskingTests {
  @Test("a payload is masked the same in two parts as in one", arguments: FrameWriterTests.keys)
  func parts_areMaskedLikeTheWhole(key: UInt32) {
    let payload = (0..<50).map { UInt8($0) }
    func masked(_ bytes: [UInt8], _ key: UInt32) -> [UInt8] {
      var bytes = bytes
      bytes.withUnsafeMutableBytes { Masking.apply(key, to: $0) }
      return bytes
    }
    let whole = masked(payload, key)
    for cut in 0...payload.count {
      let rest = masked(Array(payload[cut...]), Masking.turn(key, by: cut))
      #expect(masked(Array(payload[..<cut]), key) + rest == whole)
    }
  }
}
