import Testing

@testable import Wire

@Suite("Blocks of memory")
struct SameBitsTests {
  @Test("a difference is found wherever it is", arguments: [0, 1, 7, 8, 63, 64, 65, 200])
  func difference_isFound(count: Int) {
    let ours = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    func compare(_ theirs: [UInt8]) -> Bool {
      ours.withUnsafeBytes { ours in
        theirs.withUnsafeBytes { theirs in
          guard let ours = ours.baseAddress, let theirs = theirs.baseAddress else { return true }
          return haveSameBytes(ours, theirs, count)
        }
      }
    }
    #expect(compare(ours))
    for place in 0..<count {
      var theirs = ours
      theirs[place] ^= 1
      #expect(!compare(theirs))
    }
  }

  @Test("equal bits of a value are one value, equal references may not be")
  func values_areComparedByBits() {
    final class Box {}
    let box = Box()
    #expect(haveSameBits(1, 1))
    #expect(!haveSameBits(1, 2))
    #expect(!haveSameBits(0.0, -0.0))
    #expect(haveSameBits((1, "a"), (1, "a")))
    #expect(!haveSameBits(box, box))
  }
}
