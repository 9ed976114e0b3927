/// Metrics as text that Prometheus reads: version 0.0.4 of its exposition format.
package struct PrometheusText: ~Copyable {
  /// The value of the Content-Type field; Prometheus 3 refuses an answer without it.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The text so far, as UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// An empty text.
  package init() {}

  /// Families as text.
  ///
  /// - Parameter families: in the order in which they are written; of two with one name, which Prometheus would refuse with everything
  ///   else, only the first is. One without samples is not.
  /// - Returns: the text as UTF-8.
  package static func bytes(of families: [MetricFamily]) -> [UInt8] {
    var text = PrometheusText()
    var written: Set<String> = []
    for family in families where !family.samples.isEmpty && written.insert(family.name).inserted { text.write(family) }
    return text.bytes
  }

  private mutating func write(_ family: MetricFamily) {
    line("# HELP \(family.name) \(Self.escaped(family.help, quotes: false))")
    line("# TYPE \(family.name) \(family.kind.rawValue)")
    for sample in family.samples {
      switch sample.value {
      case .count(let value): write(family.name, sample.labels, "\(value)")
      case .number(let value): write(family.name, sample.labels, Self.text(value))
      case .histogram(let histogram): write(family.name, sample.labels, histogram)
      }
    }
  }

  /// The cells of a histogram: how many values were at most as large as each bound, all of them, and their sum.
  private mutating func write(_ name: String, _ labels: [MetricFamily.Label], _ histogram: Histogram) {
    var count: UInt64 = 0
    for (bound, cell) in zip(histogram.bounds + [.infinity], histogram.counts) {
      count &+= cell
      write("\(name)_bucket", labels + [MetricFamily.Label("le", Self.text(bound))], "\(count)")
    }
    write("\(name)_sum", labels, Self.text(histogram.sum))
    write("\(name)_count", labels, "\(count)")
  }

  private mutating func write(_ name: String, _ labels: [MetricFamily.Label], _ value: String) {
    let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
    line(list.isEmpty ? "\(name) \(value)" : "\(name){\(list)} \(value)")
  }

  private mutating func line(_ text: String) {
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  /// A number as Go's ParseFloat reads it.
  private static func text(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
    // 1 and not 1.0; above 2⁵³ whole numbers would not be what they seem.
    return value.rounded() == value && value.magnitude < 9e15 ? "\(Int64(value))" : "\(value)"
  }

  /// Text in which no character ends the line, or the value.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x5C || (quotes && $0 == 0x22) }) else { return text }
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\n": escaped += "\\n"
      case "\\": escaped += "\\\\"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
