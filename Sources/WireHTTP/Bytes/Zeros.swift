extension [UInt8] {
  /// Appends zeros, for room behind the bytes that are there.
  ///
  /// They come from an array, and not from `repeatElement`, which a build without optimisation takes element by element through generic code: for
  /// 16 MiB that is ten seconds.
  ///
  /// - Parameter count: how many zeros.
  mutating func appendZeros(_ count: Int) { self += [UInt8](repeating: 0, count: count) }
}
