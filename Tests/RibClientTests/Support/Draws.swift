/// A generator whose numbers are all the same: ``lowest`` and ``highest`` draw the ends of any small range.
struct Draws: RandomNumberGenerator {
  var bits: UInt64

  static let lowest = Draws(bits: 1 << 32)
  static let highest = Draws(bits: .max)

  mutating func next() -> UInt64 { bits }
}

/// SplitMix64, from a seed.
struct SeededDraws: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
