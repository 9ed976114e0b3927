import Wire

/// Whether two states hold equal values.
///
/// Unlike ``haveSameBits(_:_:)``, the answer depends on the values alone: not on where a text is stored, nor on the
/// padding between two properties. So a session that is replayed or restored gets the answer that it got before.
///
/// Equal bits are equal values. Other values are compared by `==` if they are `Equatable`, dictionaries key by key, and
/// otherwise property by property. Objects are equal if they are the same one; two closures always are.
func haveSameValue<Value>(_ ours: Value, _ theirs: Value) -> Bool {
  if haveSameBits(ours, theirs) { return true }
  if let ours = ours as? any Equatable { return ours.isEqual(to: theirs) }
  let (mirror, other) = (Mirror(reflecting: ours), Mirror(reflecting: theirs))
  if mirror.displayStyle == .class { return haveSameReference(ours, theirs) }
  if let ours = ours as? any KeyedValues { return ours.haveSameValues(as: theirs) }
  guard mirror.children.count == other.children.count else { return false }
  // The case of an enum that has no payload is only in the text.
  guard !mirror.children.isEmpty else { return "\(ours)" == "\(theirs)" }
  return zip(mirror.children, other.children).allSatisfy { ours, theirs in
    ours.label == theirs.label && isSame(ours.value, as: theirs.value)
  }
}

/// The same for a value whose type is not known, which has to be the first one's.
private func isSame<Value>(_ ours: Value, as theirs: Any) -> Bool {
  (theirs as? Value).map { haveSameValue(ours, $0) } ?? false
}

/// A dictionary, whose order is another one in each process.
private protocol KeyedValues {
  func haveSameValues(as other: Any) -> Bool
}

extension Dictionary: KeyedValues {
  fileprivate func haveSameValues(as other: Any) -> Bool {
    guard let other = other as? Self, other.count == count else { return false }
    return allSatisfy { key, value in other[key].map { haveSameValue(value, $0) } ?? false }
  }
}

private func haveSameReference<Object>(_ ours: Object, _ theirs: Object) -> Bool {
  withUnsafeBytes(of: ours) { ours in withUnsafeBytes(of: theirs) { theirs in ours.elementsEqual(theirs) } }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
