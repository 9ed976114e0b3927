import RibCore
import RibServer

/// What nodes may not do to a session, as the database sees it.
///
/// | rule                                                                      | is broken by                                                          |
/// |---------------------------------------------------------------------------|-----------------------------------------------------------------------|
/// | a statement that another one has overtaken changes nothing                | a write that was sent before one that is there                        |
/// | a session is not taken from a node that is there, and was not asked       | a load of a session that the holder has in memory, while both are well |
/// | a session moves once in ten seconds                                       | a load by a third node, or the first one, while both are well         |
///
/// Who dies, stands still, is cut off or about to stop keeps nothing: the last two rules are of nodes that have been ``Troubles/areWell(_:_:at:)``, and are
/// not ``SimulatedProcess/isStuck``.
final class ClusterRules {
  /// How long a session stays that has come from another node, in nanoseconds.
  private static let stay: UInt64 = 10_000_000_000
  /// How long a node may take between it was told that another one holds a session and its taking it.
  private static let patience: UInt64 = 15_000_000_000

  private unowned let world: World

  init(in world: World) { self.world = world }

  /// Judges a write that the lease and the version allow.
  func check(_ row: SimulatedDatabase.Row, isWrittenBy statement: Statement) {
    guard row.past.lastStatement > statement.number else { return }
    world.fail(
      Finding(
        .overwritten,
        "node \(statement.node) has written session \(row.identity.id) with statement \(statement.number), behind \(row.past.lastStatement)"
      ))
  }

  /// Changes of a state have come without those before them.
  func noteGap(in row: SimulatedDatabase.Row, at node: NodeID) {
    world.fail(Finding(.lost, "of session \(row.identity.id) the changes of riblet \(node) begin too late"))
  }

  /// Judges a load that takes a session.
  ///
  /// - Parameters:
  ///   - row: the session, before that.
  ///   - statement: how the load has come.
  ///   - takeover: whom it may be taken from.
  /// - Returns: when it has moved, if that is a move.
  func check(_ row: SimulatedDatabase.Row, isTakenBy statement: Statement, from takeover: Takeover) -> Move? {
    let (now, past) = (world.scheduler.now, row.past)
    guard let holder = formerHolder(of: row, takenBy: statement, from: takeover), let old = process(holder),
      let new = process(statement.node), !old.isStopping
    else { return nil }
    let areWell = world.cluster?.troubles.areWell(old.number, new.number, at: now) == true
    guard areWell else { return nil }
    let refusal = past.refusals[statement.node]
    // It had let go of it, and a client has brought it back before the one came for whom that was.
    if let refusal, refusal.holder == holder, past.takingTime > refusal.time { return nil }
    if row.holder == holder, row.state.rest == nil, past.isSure, old.statementCount == 0, !old.isStuck {
      world.fail(
        Finding(
          .notAsked,
          "node \(statement.node) takes session \(row.identity.id) from node \(holder), which has it in memory"
        ))
    }
    guard let refusal, refusal.holder == holder, now - refusal.time < Self.patience else { return nil }
    world.figures.note("moves")
    // The last client may have left it as it rests, after which it is anybody's: the holder may be writing that.
    let mayBeFree = row.holder == holder && row.state.rest != nil && old.statementCount > 0
    let isJudged = !mayBeFree && !old.isStuck && !new.isStuck
    if isJudged, let last = past.move, last.node == holder, now - last.time < Self.stay {
      let milliseconds = (now - last.time) / 1_000_000
      world.fail(
        Finding(
          .movedAgain,
          "session \(row.identity.id) was at node \(holder) for \(milliseconds) ms, and moves to node \(statement.node)"
        ))
    }
    return Move(node: statement.node, time: now)
  }

  /// Who has the session that is taken, or has made way for who takes it; nil for nobody.
  private func formerHolder(
    of row: SimulatedDatabase.Row, takenBy statement: Statement, from takeover: Takeover
  ) -> Int? {
    if row.holder != 0 { return row.holder == statement.node ? nil : row.holder }
    guard let release = row.past.release, release.node != statement.node, takeover.includes(release.node),
      let refusal = row.past.refusals[statement.node], refusal.holder == release.node, refusal.time < release.time
    else { return nil }
    return release.node
  }

  private func process(_ node: Int) -> SimulatedProcess? { world.processes.first { $0.nodeID == node } }

  /// Takes note that a node has got an answer: what it has taken it knows of.
  func wasAnswered(_ statement: Statement, _ database: SimulatedDatabase) {
    for (number, row) in database.rows where row.past.taking === statement { database.rows[number]?.past.isKnown() }
  }

  /// A session has come to a node from another one that was there.
  struct Move {
    let node: Int
    let time: UInt64
  }
}

/// What has become of a session, as far as the rules need it.
struct SessionPast {
  /// The newest statement that has written it, or has taken it.
  private(set) var lastStatement = 0
  /// The statement that has taken it, until the node has the answer.
  private(set) var taking: Statement?
  /// When it was taken last, in nanoseconds.
  private(set) var takingTime: UInt64 = 0
  /// The nodes that were told that others have it, which and when.
  private(set) var refusals: [Int: (holder: Int, time: UInt64)] = [:]
  /// The node that has let go of it though a client had only now left it.
  private(set) var release: (node: Int, time: UInt64)?
  /// The last move that its node knows of.
  private(set) var move: ClusterRules.Move?
  private var nextMove: ClusterRules.Move?

  /// Whether the node that has it knows that.
  var isSure: Bool { taking == nil }

  mutating func wasRefused(to node: Int, by holder: Int, at time: UInt64) { refusals[node] = (holder, time) }

  mutating func wasTaken(by statement: Statement, _ move: ClusterRules.Move? = nil, at time: UInt64) {
    takingTime = time
    lastStatement = max(lastStatement, statement.number)
    taking = statement
    (nextMove, self.move) = (move, nil)
    refusals = refusals.filter { $0.value.holder == statement.node }
    release = nil
  }

  mutating func isKnown() { (taking, move, nextMove) = (nil, nextMove, nil) }

  mutating func wasWritten(by statement: Statement, _ cut: SessionCut, at time: UInt64) {
    lastStatement = max(lastStatement, statement.number)
    guard !cut.isProgress else { return }
    // A session that nobody has asked for rests when it was without a client for a while.
    let isRelease = !cut.state.isHeld && cut.state.alone < .seconds(2)
    release = isRelease ? (statement.node, time) : nil
  }
}

/// When nodes were last anything but well: held up, cut off, or disturbed on their way to the database or to each other.
struct Troubles {
  /// How long a node has to be well before it is judged: longer than others wait for it, in nanoseconds.
  private static let quiet: UInt64 = 25_000_000_000

  private var ends: [Int: UInt64] = [:]
  private var endsBetween: [Set<Int>: UInt64] = [:]

  /// A process is in trouble until some time.
  mutating func note(_ process: Int, until time: UInt64) { ends[process] = max(ends[process] ?? 0, time) }

  /// Two processes are so with each other.
  mutating func note(_ one: Int, _ other: Int, until time: UInt64) {
    endsBetween[[one, other]] = max(endsBetween[[one, other]] ?? 0, time)
  }

  /// Whether two processes have been well for a while, with all and with each other.
  func areWell(_ one: Int, _ other: Int, at now: UInt64) -> Bool {
    [ends[one], ends[other], endsBetween[[one, other]]].allSatisfy { end in end.map { now >= $0 + Self.quiet } ?? true }
  }
}
