extension [UInt8] {
  /// Appends zeros, to make room behind the present bytes.
  ///
  /// The zeros come from an array: a build without optimisation appends the elements of `repeatElement` one by one
  /// through generic code, which takes ten seconds for 16 MiB.
  mutating func appendZeros(_ count: Int) { self += [UInt8](repeating: 0, count: count) }
}
