/// Whether two values certainly are equal, because they have the same bits.
///
/// True is reliable for a value type that is `Sendable`: equal bits mean equal values. It is not for objects, whose
/// state may have changed behind an equal reference: for an object the result is always false, and a value that holds a
/// reference to one may be called equal although the object has changed. False says nothing: equal values may differ in
/// the padding between their properties, and equal strings may be stored in different places.
package func haveSameBits<Value>(_ ours: Value, _ theirs: Value) -> Bool {
  if Value.self is AnyObject.Type { return false }
  return withUnsafeBytes(of: ours) { ours in
    withUnsafeBytes(of: theirs) { theirs in
      guard let ours = ours.baseAddress, let theirs = theirs.baseAddress else { return true }
      return haveSameBytes(ours, theirs, MemoryLayout<Value>.size)
    }
  }
}

/// Whether two values certainly are equal in what they hold in a range of their bytes; see ``haveSameBits(_:_:)``.
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
