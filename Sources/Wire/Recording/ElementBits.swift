// Bytes of an array that belong to no property are whatever was there before, and differ between two arrays of the same
// elements: those behind an element, up to where the next one begins, and those within one, between a Bool and what has
// to be aligned. The former are never looked at. The latter are told from properties by a copy: copying a value writes
// all that belongs to it and, if it holds references, nothing else.

/// Compares the elements of two arrays by their bits.
///
/// What it finds the same is the same, see ``haveSameBits(_:_:)``; what it does not may still be equal.
struct ElementBits<Element>: ~Copyable {
  private let ours: UnsafeBufferPointer<Element>
  private let theirs: UnsafeBufferPointer<Element>
  private let size = MemoryLayout<Element>.size
  private let stride = MemoryLayout<Element>.stride
  /// Whether equal bits mean equal values.
  private let areValues = !(Element.self is AnyObject.Type)
  /// Whether a copy leaves out what belongs to no property.
  private let copiesProperties = !_isPOD(Element.self)
  /// Room for a copy.
  private let copy = UnsafeMutablePointer<Element>.allocate(capacity: 1)

  /// A comparison of two arrays, as long as they stay where they are.
  init(_ ours: UnsafeBufferPointer<Element>, _ theirs: UnsafeBufferPointer<Element>) {
    self.ours = ours
    self.theirs = theirs
  }

  deinit { copy.deallocate() }

  /// The number of elements with which both arrays begin.
  var commonPrefix: Int { run(0, 0, Swift.min(ours.count, theirs.count), by: 1) }

  /// The number of elements with which both arrays end, at most so many.
  func commonSuffix(atMost limit: Int) -> Int { run(ours.count - 1, theirs.count - 1, limit, by: -1) }

  /// The places, of these, at which the arrays differ.
  func differences(in range: Range<Int>) -> [Int] {
    var places: [Int] = []
    var place = range.lowerBound
    while true {
      place += run(place, place, range.upperBound - place, by: 1)
      guard place < range.upperBound else { return places }
      places.append(place)
      place += 1
    }
  }

  /// How many elements, of so many from these places on, are the same up to the first that is not.
  private func run(_ place: Int, _ theirPlace: Int, _ count: Int, by step: Int) -> Int {
    guard count > 0, areValues, let ours = ours.baseAddress, let theirs = theirs.baseAddress else { return 0 }
    var our = UnsafeRawPointer(ours + place)
    var their = UnsafeRawPointer(theirs + theirPlace)
    let step = step &* stride
    var same = 0
    while same < count, haveSameBytes(our, their, size) || isCopySame(our, their) {
      same &+= 1
      our += step
      their += step
    }
    return same
  }

  /// Whether a copy of our element over the bytes of theirs leaves these as they are.
  private func isCopySame(_ our: UnsafeRawPointer, _ their: UnsafeRawPointer) -> Bool {
    guard copiesProperties else { return false }
    UnsafeMutableRawPointer(copy).copyMemory(from: their, byteCount: size)
    // Not `initialize(to:)`: that would copy to somewhere else, and move all bytes from there.
    copy.initialize(from: our.assumingMemoryBound(to: Element.self), count: 1)
    defer { copy.deinitialize(count: 1) }
    return haveSameBytes(copy, their, size)
  }
}
