/// Numbers that are the same for the same seed, on every machine (SplitMix64; Steele, Lea and Flood 2014).
package struct SimulationRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A stream of numbers.
  ///
  /// - Parameters:
  ///   - seed: of the whole schedule.
  ///   - stream: what the numbers are for: each purpose has its own, so that one more number for one of them does not change the others.
  package init(seed: UInt64, stream: UInt64) {
    // Mixed, so that no stream is another one that has begun earlier.
    state = Self.mix(Self.mix(seed) ^ Self.mix(~stream))
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  private static func mix(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// True once in `count` times.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// A number from 0 to `limit` - 1.
  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// A number from 1 to 2^`bits` - 1, of any order of magnitude.
  package mutating func magnitude(bits: Int) -> UInt64 { next() >> UInt64(64 - 1 - below(bits)) | 1 }

  /// Nanoseconds of 1 to 2^`bits` - 1 milliseconds, of any order of magnitude.
  package mutating func milliseconds(bits: Int) -> UInt64 { magnitude(bits: bits) * 1_000_000 }
}
