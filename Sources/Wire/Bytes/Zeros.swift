extension [UInt8] {
  /// Makes room behind the bytes that are there.
  ///
  /// Of an array, and not of `repeatElement`, which a build without optimisation takes element by element through generic code: for
  /// 16 MiB that is ten seconds.
  ///
  /// - Parameter count: how many zeros.
  mutating func appendZeros(_ count: Int) { self += [UInt8](repeating: 0, count: count) }
}
