/// A view action of any riblet of the ``World``.
enum WorldAction<Change: WorldChange>: Codable, Sendable {
  /// Makes changes in one transaction.
  case make([Change])
  /// Makes changes in a transaction that fails then.
  case fail(WorldFailure, after: [Change])

  /// One change to four.
  static func random(_ failure: WorldFailure?, using generator: inout SeededGenerator) -> WorldAction {
    let count = [1, 1, 2, 3, 4].randomElement(using: &generator) ?? 1
    let changes = (0..<count).map { _ in Change.random(using: &generator) }
    return failure.map { .fail($0, after: changes) } ?? .make(changes)
  }
}

/// What can be changed in a state.
protocol WorldChange: Codable, Sendable {
  static func random(using generator: inout SeededGenerator) -> Self
}

/// How a transaction fails after its changes.
enum WorldFailure: String, Codable, CaseIterable {
  /// The reducer refuses.
  case refuse
  /// An internal action that the riblet sends itself is refused.
  case refuseLater
  /// The parent refuses what the riblet says.
  case refuseOutput
  /// The riblet's view has no JSON.
  case view
  /// The view of a child that is new has no JSON.
  case child
  /// The state cannot be saved.
  case state
  /// The riblet answers itself for ever.
  case loop
  /// The view has more than 4 MiB.
  case largeView
  /// The state has more than 4 MiB.
  case largeState

  /// Those that take long: one of them is in some walks.
  static let slow: [WorldFailure] = [.loop, .largeView, .largeState]

  /// A failure that takes no longer than what does not fail.
  static func random(using generator: inout SeededGenerator) -> WorldFailure {
    allCases.filter { !slow.contains($0) }.randomElement(using: &generator) ?? .refuse
  }
}

/// What every riblet of the ``World`` can change.
enum CommonChange: WorldChange {
  case count
  case ratio(Double)
  case text(String)
  case flash(Int)
  case run(String), stop(String)
  /// Tells the parent, and as many of those above it.
  case tell(Int)
  case nothing

  static func random(using generator: inout SeededGenerator) -> CommonChange {
    let name = Bool.random(using: &generator) ? "it" : "that"
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1: return .count
    case 2, 3: return .ratio(.anyFinite(using: &generator))
    case 4: return .text(["", "é", "e\u{301}", "\"\\\u{0}/~", "plain"].randomElement(using: &generator) ?? "")
    case 5, 6: return .flash(Int.random(in: 0...3, using: &generator))
    case 7: return .run(name)
    case 8: return .stop(name)
    case 9, 10: return .tell(Int.random(in: 0...3, using: &generator))
    default: return .nothing
    }
  }
}

/// What can be changed in a list of elements with ids.
enum ListChange: WorldChange {
  /// Inserts an element, whose id another one may have, with a content drawn from a seed.
  case insert(Int, at: Int, seed: UInt32)
  case remove(Int)
  case move(Int, to: Int)
  /// Inserts an element once more.
  case double(Int, at: Int)
  /// Gives an element another id.
  case rename(Int, Int)
  /// Changes an element, not its id.
  case edit(Int)
  case reverse
  case clear

  static func random(using generator: inout SeededGenerator) -> ListChange {
    func index() -> Int { Int.random(in: 0...4, using: &generator) }
    func id() -> Int { Int.random(in: 0...3, using: &generator) }
    switch Int.random(in: 0..<18, using: &generator) {
    case 0..<7: return .insert(id(), at: index(), seed: UInt32.random(in: 0...999, using: &generator))
    case 7: return .remove(index())
    case 8, 9: return .move(index(), to: index())
    case 10, 11: return .double(index(), at: index())
    case 12, 13, 14: return .rename(index(), id())
    case 15: return .edit(index())
    case 16: return .reverse
    default: return Bool.random(using: &generator) ? .clear : .edit(index())
    }
  }
}

extension Double {
  /// Any number but those that are none: of every exponent, whole, a power of ten.
  static func anyFinite(using generator: inout SeededGenerator) -> Double {
    let number =
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: Double(bitPattern: generator.next())
      case 1: Double(bitPattern: generator.next() >> 12)
      case 2: Double((1 << 53) + Int.random(in: -9...9, using: &generator))
      case 3: Double("1e\(Int.random(in: -324...308, using: &generator))") ?? 0
      case 4: Double(Int.random(in: -99...99, using: &generator)) / 10
      default: Double(Int.random(in: -2...2, using: &generator))
      }
    return number.isFinite ? number : -0.0
  }
}
