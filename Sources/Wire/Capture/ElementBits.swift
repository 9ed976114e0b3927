// Two arrays with the same elements may differ in bytes that belong to no property, and hold whatever was in that
// memory before: the bytes between the end of an element and the start of the next, and those within an element, such
// as between a Bool and a property that has to be aligned. The former are never read. The latter are recognised by
// copying an element: a copy writes all bytes of its properties and, if the type holds references, no others.

/// Compares the elements of two arrays by their bits.
///
/// Elements that are found the same are equal, as ``haveSameBits(_:_:)`` explains; elements that are not may still be
/// equal.
struct ElementBits<Element>: ~Copyable {
  private let ours: UnsafeBufferPointer<Element>
  private let theirs: UnsafeBufferPointer<Element>
  private let size = MemoryLayout<Element>.size
  private let stride = MemoryLayout<Element>.stride
  /// Whether equal bits mean equal values: not so for objects.
  private let areValues = !(Element.self is AnyObject.Type)
  /// Whether copying an element leaves the bytes between its properties alone.
  private let copiesProperties = !_isPOD(Element.self)
  /// Memory for the copy of one element.
  private let copy = UnsafeMutablePointer<Element>.allocate(capacity: 1)

  /// A comparison of two arrays, valid as long as they stay where they are.
  init(_ ours: UnsafeBufferPointer<Element>, _ theirs: UnsafeBufferPointer<Element>) {
    self.ours = ours
    self.theirs = theirs
  }

  deinit { copy.deallocate() }

  /// The number of elements with which both arrays begin.
  var commonPrefix: Int { run(0, 0, Swift.min(ours.count, theirs.count), by: 1) }

  /// The number of elements with which both arrays end, at most `limit`.
  func commonSuffix(atMost limit: Int) -> Int { run(ours.count - 1, theirs.count - 1, limit, by: -1) }

  /// The indices in a range at which the elements of the arrays differ.
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

  /// How many elements are the same from these indices on, in steps of 1 or −1, before the first that is not; at most
  /// `count`.
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

  /// Whether copying our element over the bytes of theirs changes none of them.
  private func isCopySame(_ our: UnsafeRawPointer, _ their: UnsafeRawPointer) -> Bool {
    guard copiesProperties else { return false }
    UnsafeMutableRawPointer(copy).copyMemory(from: their, byteCount: size)
    // Not `initialize(to:)`, which would copy to a temporary value, and then move all of its bytes.
    copy.initialize(from: our.assumingMemoryBound(to: Element.self), count: 1)
    defer { copy.deinitialize(count: 1) }
    return haveSameBytes(copy, their, size)
  }
}
