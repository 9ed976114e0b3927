/// Numbers that are the same for the same seed, on every machine (SplitMix64).
struct ModelRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0xD129_1D1D_4C95_7F2D }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// True once in `count` times.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// A number from 0 to `limit` - 1.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
