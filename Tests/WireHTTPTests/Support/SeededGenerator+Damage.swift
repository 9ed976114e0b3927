import RibTestSupport

extension SeededGenerator {
  /// `bytes` with up to three of them changed, removed or doubled, mostly to ones that mean something in HTTP.
  mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
    var damaged = bytes
    for _ in 0..<Int.random(in: 1...3, using: &self) {
      let index = Int.random(in: 0..<damaged.count, using: &self)
      let byte = wireBytes("\r\n\t :,/?0159HTx\u{0}\u{7F}\u{FF}").randomElement(using: &self) ?? 0
      switch Int.random(in: 0..<3, using: &self) {
      case 0: damaged[index] = byte
      case 1: damaged.remove(at: index)
      default: damaged.insert(byte, at: index)
      }
    }
    return damaged
  }
}
