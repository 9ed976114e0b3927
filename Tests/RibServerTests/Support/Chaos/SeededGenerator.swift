import Foundation

/// The same numbers for the same seed (SplitMix64, Steele, Lea and Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameters:
  ///   - seed: of the whole run.
  ///   - stream: what the numbers are for: each has its own.
  init(seed: UInt64, stream: UInt64) {
    state = seed &* 0xD134_2543_DE82_EF95 &+ stream &* 0x9E37_79B9_7F4A_7C15
    for _ in 0..<4 { _ = next() }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Whether something of this probability happens.
  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  /// A number of any order of magnitude between these.
  mutating func magnitude(in range: ClosedRange<Double>) -> Int {
    Int(exp(Double.random(in: log(range.lowerBound)...log(range.upperBound), using: &self)))
  }
}
