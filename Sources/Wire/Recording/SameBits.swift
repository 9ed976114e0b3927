/// Whether both values have the same bits, and equal bits mean equal values.
///
/// True for a value is true for good: a value type whose bits are equal is equal, as far as it is `Sendable`. Behind
/// equal references to an object there may be two states of it. False says nothing: there may be padding between
/// properties, and equal strings in different places.
func haveSameBits<Value>(_ ours: Value, _ theirs: Value) -> Bool {
  if Value.self is AnyObject.Type { return false }
  return withUnsafeBytes(of: ours) { ours in withUnsafeBytes(of: theirs) { theirs in haveSameBytes(ours, theirs) } }
}

/// Whether two blocks of one length hold the same bytes.
func haveSameBytes(_ ours: UnsafeRawBufferPointer, _ theirs: UnsafeRawBufferPointer) -> Bool {
  commonPrefix(ours, theirs) == ours.count
}

/// The number of bytes with which two blocks of one length both begin.
func commonPrefix(_ ours: UnsafeRawBufferPointer, _ theirs: UnsafeRawBufferPointer) -> Int {
  var offset = 0
  // As wide as the machine compares at once, then as wide as a property, then the rest.
  while offset &+ 64 <= ours.count,
    ours.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
      == theirs.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
  { offset &+= 64 }
  while offset &+ 8 <= ours.count,
    ours.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      == theirs.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  { offset &+= 8 }
  while offset < ours.count, ours[offset] == theirs[offset] { offset &+= 1 }
  return offset
}

/// The number of bytes with which two blocks of one length both end.
func commonSuffix(_ ours: UnsafeRawBufferPointer, _ theirs: UnsafeRawBufferPointer) -> Int {
  var rest = ours.count
  while rest >= 64,
    ours.loadUnaligned(fromByteOffset: rest &- 64, as: SIMD8<UInt64>.self)
      == theirs.loadUnaligned(fromByteOffset: rest &- 64, as: SIMD8<UInt64>.self)
  { rest &-= 64 }
  while rest > 0, ours[rest &- 1] == theirs[rest &- 1] { rest &-= 1 }
  return ours.count - rest
}
