/// Names as Prometheus takes them, made of the labels and dimensions of swift-metrics.
enum MetricName {
  /// Ends of names that Prometheus itself gives to parts of metrics.
  private static let reservedSuffixes = ["_created", "_info", "_bucket", "_sum", "_count"]

  /// The name of a metric.
  ///
  /// - Parameters:
  ///   - label: what the program calls it; whatever is no letter, digit or underscore becomes an underscore.
  ///   - suffix: what the name is to end with, and does only once.
  /// - Returns: the name.
  /// - Throws: ``MetricError`` for a label without a letter or digit, and for a name that is reserved.
  static func family(_ label: String, suffix: String) throws(MetricError) -> String {
    var name = identifier(label)
    guard name.contains(where: { $0 != "_" }) else {
      throw MetricError(label: label, reason: "a name needs a letter or a digit")
    }
    if !name.hasSuffix(suffix) { name += suffix }
    if let reserved = reservedSuffixes.first(where: name.hasSuffix) {
      throw MetricError(label: label, reason: "Prometheus keeps names that end with \(reserved) for itself")
    }
    return name
  }

  /// Labels of Prometheus, made of dimensions.
  ///
  /// - Parameter dimensions: of two with one name, the last counts.
  /// - Returns: the labels, in the order of their names.
  static func labels(_ dimensions: [(String, String)]) -> [MetricFamily.Label] {
    var values: [String: String] = [:]
    for (name, value) in dimensions {
      var name = identifier(name)
      // Names with two underscores are Prometheus' own; these two tell the cells of histograms and summaries.
      while name.hasPrefix("__") { name.removeFirst() }
      if name == "le" || name == "quantile" || name == "_" { name += "_" }
      values[name] = value
    }
    return values.sorted { $0.key < $1.key }.map { MetricFamily.Label($0.key, $0.value) }
  }

  private static func identifier(_ text: String) -> String {
    var name = ""
    for byte in text.utf8 {
      let isLetter = (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
      let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      if isDigit, name.isEmpty { name = "_" }
      name.unicodeScalars.append(isLetter || isDigit ? Unicode.Scalar(byte) : "_")
    }
    return name.isEmpty ? "_" : name
  }
}

/// Why a metric is not counted.
struct MetricError: Error, CustomStringConvertible {
  /// The metric's name in the program.
  let label: String
  /// The rule that the name or the kind breaks, as the end of a sentence.
  let reason: String

  var description: String { "The metric \"\(label)\" is not counted: \(reason)." }
}
