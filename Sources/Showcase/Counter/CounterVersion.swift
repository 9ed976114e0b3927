import RibServer

/// The versions of the showcase's counter.
///
/// A demo begins with the first, and can deploy the second.
public enum CounterVersion: Int, Sendable {
  /// A number.
  case first = 1
  /// A number, and how often a button was pressed.
  case second = 2

  var app: App {
    switch self {
    case .first: App("counter") { Counter() }
    case .second: App("counter") { CounterVersion2() }
    }
  }
}
