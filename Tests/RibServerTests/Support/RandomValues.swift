import Foundation
import Wire

/// The random values of a recorded conversation, each with the live one that stands for it when it is played.
struct RandomValues {
  /// The members of a message whose values are random.
  private static let keys = ["sid", "token", "epoch"]
  private var pairs: [(recorded: String, live: String)] = []

  /// Takes the random values of a message that is heard for those of the recorded one.
  ///
  /// A value that has a counterpart keeps it: another one in its place is a difference.
  mutating func learn(recorded message: JSONValue, live heard: JSONValue) {
    for key in Self.keys {
      guard let recorded = message[key]?.string, let live = heard[key]?.string else { continue }
      let isKnown = pairs.contains { $0.recorded == recorded || $0.live == live }
      if !isKnown { pairs.append((recorded: recorded, live: live)) }
    }
  }

  /// A recorded message with the live values.
  func live(_ message: String) -> String {
    pairs.reduce(message) { $0.replacingOccurrences(of: "\"\($1.recorded)\"", with: "\"\($1.live)\"") }
  }

  /// A live message with the recorded values.
  func recorded(_ message: String) -> String {
    pairs.reduce(message) { $0.replacingOccurrences(of: "\"\($1.live)\"", with: "\"\($1.recorded)\"") }
  }
}
