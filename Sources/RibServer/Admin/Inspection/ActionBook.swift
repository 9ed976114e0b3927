/// How long a loop takes for each action of each type of riblet; kept only while somebody looks.
struct ActionBook: Sendable {
  /// How many actions are told apart: an action's name comes from a client.
  static let limit = 500

  /// The action of a type of riblet.
  struct Key: Hashable, Sendable {
    let riblet: String
    let action: String
  }

  /// Counts of durations, four cells for each doubling, so that a percentile is right to a fifth.
  struct Figures: Sendable {
    private static let cellCount = 128
    private var cells = [UInt32](repeating: 0, count: cellCount)
    private(set) var count = 0
    var refused = 0
    private(set) var longest: UInt64 = 0

    /// Adds a duration in nanoseconds.
    mutating func add(_ nanoseconds: UInt64) {
      count += 1
      longest = max(longest, nanoseconds)
      cells[Self.cell(of: nanoseconds)] &+= 1
    }

    /// Adds what another loop has counted.
    mutating func add(_ other: Figures) {
      for index in cells.indices { cells[index] &+= other.cells[index] }
      count += other.count
      refused += other.refused
      longest = max(longest, other.longest)
    }

    /// The duration that so many of a hundred do not exceed, in nanoseconds; 0 if there is none.
    func percentile(_ percent: Int) -> UInt64 {
      guard count > 0 else { return 0 }
      var left = (count * percent + 99) / 100
      for (index, cell) in cells.enumerated() {
        left -= Int(cell)
        if left <= 0 { return min(Self.end(ofCell: index), longest) }
      }
      return longest
    }

    /// The cell of a duration: the two bits behind the highest one say which fourth of a doubling it is.
    private static func cell(of nanoseconds: UInt64) -> Int {
      let value = max(nanoseconds >> 8, 4)
      let exponent = 63 - value.leadingZeroBitCount
      return min((exponent - 2) * 4 + Int(value >> UInt64(exponent - 2) & 3), cellCount - 1)
    }

    private static func end(ofCell index: Int) -> UInt64 {
      UInt64(index % 4 + 5) << UInt64(index / 4 + 8)
    }
  }

  private(set) var figures: [Key: Figures] = [:]

  /// Adds an action.
  ///
  /// - Parameters:
  ///   - key: the action; one that is new and one too many is not told apart.
  ///   - nanoseconds: how long the loop was busy with it.
  ///   - isRefused: whether it was refused.
  mutating func note(_ key: Key, _ nanoseconds: UInt64, isRefused: Bool) {
    let key = figures[key] != nil || figures.count < Self.limit ? key : Key(riblet: "other", action: "other")
    figures[key, default: Figures()].add(nanoseconds)
    if isRefused { figures[key]?.refused += 1 }
  }

  /// Adds what another loop has noted.
  mutating func add(_ other: ActionBook) {
    for (key, others) in other.figures { figures[key, default: Figures()].add(others) }
  }

  /// The figures, in alphabetical order.
  var report: [ActionFigures] {
    figures.sorted { ($0.key.riblet, $0.key.action) < ($1.key.riblet, $1.key.action) }.prefix(Self.limit).map {
      key, it in
      ActionFigures(
        riblet: key.riblet, action: key.action, count: it.count, refused: it.refused,
        p50: Int(it.percentile(50) / 1000),
        p95: Int(it.percentile(95) / 1000), max: Int(it.longest / 1000))
    }
  }
}

/// The newest slow transactions of a loop.
struct SlowLog: Sendable {
  /// How many are kept.
  static let limit = 100

  /// A slow transaction.
  struct Entry: Sendable {
    /// Counts the loop's slow transactions.
    var number: Int
    /// When it ended, in nanoseconds of the monotonic clock.
    var time: UInt64
    var session: String
    var app: String
    var riblet: String
    /// How long the loop was busy with it, in nanoseconds.
    var duration: UInt64
  }

  /// The newest last.
  private(set) var entries: [Entry] = []
  private var count = 0

  /// Notes a transaction.
  mutating func note(_ session: SessionIdentity, riblet: String, _ duration: UInt64, at time: UInt64) {
    count += 1
    if entries.count == Self.limit { entries.removeFirst() }
    entries.append(
      Entry(number: count, time: time, session: session.id, app: session.app, riblet: riblet, duration: duration))
  }
}
