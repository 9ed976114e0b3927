/// Whether both values have the same bits, and equal bits mean equal values.
///
/// True for a value is true for good: a value type whose bits are equal is equal, as far as it is `Sendable`. Behind
/// equal references to an object there may be two states of it. False says nothing: there may be padding between
/// properties, and equal strings in different places.
///
/// - Parameters:
///   - ours: the one.
///   - theirs: the other.
/// - Returns: true if they are known to be the same.
package func haveSameBits<Value>(_ ours: Value, _ theirs: Value) -> Bool {
  if Value.self is AnyObject.Type { return false }
  return withUnsafeBytes(of: ours) { ours in
    withUnsafeBytes(of: theirs) { theirs in
      guard let ours = ours.baseAddress, let theirs = theirs.baseAddress else { return true }
      return haveSameBytes(ours, theirs, MemoryLayout<Value>.size)
    }
  }
}

/// Whether some bytes of both values are the same, and so what they hold, as for ``haveSameBits(_:_:)``.
///
/// - Parameters:
///   - ours: the one.
///   - theirs: the other.
///   - extent: which of their bytes.
/// - Returns: true if what they hold is known to be the same.
package func haveSameBits<Value>(_ ours: Value, _ theirs: Value, in extent: Range<Int>) -> Bool {
  withUnsafeBytes(of: ours) { ours in
    withUnsafeBytes(of: theirs) { theirs in
      guard let ours = ours.baseAddress, let theirs = theirs.baseAddress, !extent.isEmpty else { return true }
      return haveSameBytes(ours + extent.lowerBound, theirs + extent.lowerBound, extent.count)
    }
  }
}

/// Whether two blocks of so many bytes are the same.
@inline(__always)
func haveSameBytes(_ ours: UnsafeRawPointer, _ theirs: UnsafeRawPointer, _ count: Int) -> Bool {
  var offset = 0
  // As wide as a property, then the rest.
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
