/// The name of an enumeration's case, without what the case holds: for those who look at a program from outside.
///
/// - Parameter value: of any type.
/// - Returns: nil if the value is of no enumeration, or one that describes itself: that may say anything.
func caseName(of value: some Any) -> String? {
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .enum else { return nil }
  if let held = mirror.children.first { return held.label }
  guard !(value is any CustomStringConvertible), !(value is any TextOutputStreamable) else { return nil }
  return value is any CustomDebugStringConvertible ? nil : "\(value)"
}
