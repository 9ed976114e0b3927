/// The metrics of one name: what Prometheus shows as one metric, with a time series for each set of labels.
package struct MetricFamily: Equatable, Sendable {
  /// The type of a family, as its line `# TYPE` has it.
  package enum Kind: String, Sendable {
    /// A count that only grows, until the process ends.
    case counter
    /// A quantity that goes up and down.
    case gauge
    /// How many of the observed values were at most as large as each bound.
    case histogram
  }

  /// A name and a value that tell a time series from others of its family.
  package struct Label: Hashable, Comparable, Sendable {
    /// Letters, digits and underscores; no digit first.
    package let name: String
    /// Any text.
    package let value: String

    /// A label.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    package static func < (one: Self, other: Self) -> Bool { (one.name, one.value) < (other.name, other.value) }
  }

  /// The value of one time series.
  package struct Sample: Equatable, Sendable {
    /// In the order in which they are written.
    package let labels: [Label]
    /// The value.
    package let value: Value

    /// A sample.
    package init(_ labels: [Label] = [], _ value: Value) {
      self.labels = labels
      self.value = value
    }
  }

  /// The value of a time series.
  package enum Value: Equatable, Sendable {
    /// A whole number that is not negative.
    case count(UInt64)
    /// Any number.
    case number(Double)
    /// The cells of a histogram.
    case histogram(Histogram)
  }

  /// By the naming rules of Prometheus: in base units, `_total` last if it is a counter.
  package let name: String
  /// One sentence for a person.
  package let help: String
  /// The kind of the values; those of ``Kind/histogram`` are all ``Value/histogram(_:)``, and those of the others none.
  package let kind: Kind
  /// One for each set of labels.
  package var samples: [Sample]

  /// A family.
  package init(_ name: String, _ help: String, _ kind: Kind, _ samples: [Sample]) {
    self.name = name
    self.help = help
    self.kind = kind
    self.samples = samples
  }
}
