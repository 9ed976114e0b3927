/// The times for which a client has waited because of its servers, in milliseconds.
struct ChaosWaits {
  /// From a server's `drain`, or the end of a connection, until the client is live at another one.
  private(set) var all: [Int] = []
  /// The part of each in which the client was not connected.
  private(set) var gaps: [Int] = []
  private var start: Int?
  private var departure: Int?

  /// Notes that a server has asked the client to go, or has ended its connection.
  mutating func begin(at now: Int) { start = start ?? now }

  /// Notes that the client has no connection any more.
  mutating func leave(at now: Int) { if start != nil { departure = departure ?? now } }

  /// Notes that the client is live.
  mutating func end(at now: Int) {
    if let start { all.append(now - start) }
    if let departure { gaps.append(now - departure) }
    (start, departure) = (nil, nil)
  }

  /// The median, the 99th of a hundred and the longest of some times, as a text.
  static func text(_ times: [Int]) -> String {
    let sorted = times.sorted()
    guard let last = sorted.last else { return "none" }
    return "p50 \(sorted[sorted.count / 2]), p99 \(sorted[sorted.count * 99 / 100]), at most \(last) ms"
  }
}
