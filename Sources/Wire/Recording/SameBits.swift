/// Whether two values certainly are equal, because they have the same bits.
///
/// True is final: equal bits of a value type mean equal values, as long as the type is `Sendable`; of an object, whose
/// state may differ behind equal references, the result is always false. False may also mean that the values are equal
/// and their bits differ: in the padding between properties, or as two equal strings stored in different places.
package func haveSameBits<Value>(_ ours: Value, _ theirs: Value) -> Bool {
  if Value.self is AnyObject.Type { return false }
  return withUnsafeBytes(of: ours) { ours in
    withUnsafeBytes(of: theirs) { theirs in
      guard let ours = ours.baseAddress, let theirs = theirs.baseAddress else { return true }
      return haveSameBytes(ours, theirs, MemoryLayout<Value>.size)
    }
  }
}

/// Whether two values certainly are equal in what a range of their bytes holds, as ``haveSameBits(_:_:)`` says it of
/// whole values.
package func haveSameBits<Value>(_ ours: Value, _ theirs: Value, in extent: Range<Int>) -> Bool {
  withUnsafeBytes(of: ours) { ours in
    withUnsafeBytes(of: theirs) { theirs in
      guard let ours = ours.baseAddress, let theirs = theirs.baseAddress, !extent.isEmpty else { return true }
      return haveSameBytes(ours + extent.lowerBound, theirs + extent.lowerBound, extent.count)
    }
  }
}

/// Whether two blocks of so many bytes are equal.
@inline(__always)
func haveSameBytes(_ ours: UnsafeRawPointer, _ theirs: UnsafeRawPointer, _ count: Int) -> Bool {
  var offset = 0
  // Words of the size of a property first, then single bytes.
  while offset &+ 8 <= count {
    guard
      ours.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        == theirs.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    else { return false }
    offset &+= 8
  }
  while offset < count {
    guard
      ours.load(fromByteOffset: offset, as: UInt8.self) == theirs.load(fromByteOffset: offset, as: UInt8.self)
    else { return false }
    offset &+= 1
  }
  return true
}
