/// What is going to happen to a link of a ``FaultyProxy``.
struct LinkFaults {
  /// For a while nothing passes, and neither end is told.
  struct Stall {
    enum Way: CaseIterable { case up, down, both }

    /// Bytes after which it begins, of both ways together.
    let start: Int
    let way: Way
    let milliseconds: Int
    /// Whether what was sent meanwhile arrives after all, as late as it is.
    let goesOn: Bool
  }

  let isRefused: Bool
  /// How long bytes are on their way at most, in milliseconds.
  let delay: Int
  var stall: Stall?
  /// Bytes after which the link is cut, of both ways together: rarely where a message ends.
  var cut: Int?
  /// Whether the ends are told of a failure, and not of an end, when it is cut.
  let isReset: Bool

  /// A link that does what it should.
  static let none = LinkFaults()

  private init() { (isRefused, delay, isReset) = (false, 0, false) }

  init(_ random: inout SeededGenerator) {
    isRefused = random.happens(0.03)
    delay = random.happens(0.4) ? 0 : random.magnitude(in: 2...200)
    // From within the handshake to half a minute of actions.
    cut = random.happens(0.75) ? random.magnitude(in: 100...100_000) : nil
    isReset = random.happens(0.5)
    guard random.happens(0.35) else { return }
    stall = Stall(
      start: random.magnitude(in: 100...50_000), way: Stall.Way.allCases.randomElement(using: &random) ?? .both,
      milliseconds: random.magnitude(in: 300...15_000), goesOn: random.happens(0.7))
  }
}

/// What a ``FaultyProxy`` has done.
struct FaultCounts {
  var links = 0
  var refusals = 0
  var cuts = 0
  var stalls = 0
  /// Stalls after which what had waited was passed on.
  var lateDeliveries = 0
}
