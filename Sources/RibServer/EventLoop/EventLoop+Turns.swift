// The order of turns on a loop that is late or has a backlog.

/// The jobs that have yielded, and the places that have had a turn in the present batch of events.
struct LoopTurns {
  /// Jobs that let ready connections go first: see ``EventLoop/yield(_:)``.
  fileprivate var yielded: [() -> Void] = []
  fileprivate var runsYielded = false
  /// The places that have taken their turn: see ``EventLoop/takeTurn(of:)``.
  fileprivate var places: Set<Place> = []

  /// Begins a batch of events.
  mutating func beginBatch() { if !places.isEmpty { places.removeAll(keepingCapacity: true) } }
}

extension EventLoop {
  /// Runs a job on the loop after the connections that are ready now.
  ///
  /// Yielded jobs run in order. After each 10 ms of them, the loop handles events.
  func yield(_ body: @escaping () -> Void) {
    loopTurns.yielded.append(body)
    if loopTurns.yielded.count == 1 { execute { [self] in runYielded() } }
  }

  private func runYielded() {
    let bodies = loopTurns.yielded
    var count = 0
    loopTurns.runsYielded = true
    repeat {
      bodies[count]()
      count += 1
    } while count < bodies.count && time() - now < Self.longestTurn
    loopTurns.runsYielded = false
    loopTurns.yielded.removeFirst(count)
    if !loopTurns.yielded.isEmpty { execute { [self] in runYielded() } }
  }

  /// How long one peer, or those who let others go first, may keep the loop, in nanoseconds.
  static let longestTurn: UInt64 = 10_000_000

  /// Whether yielded jobs wait while the loop handles events.
  var hasBacklog: Bool { !loopTurns.yielded.isEmpty && !loopTurns.runsYielded }

  /// Takes the one turn that a place has in the present batch.
  ///
  /// - Parameter place: the place; nil for the server's own machine, which has any number of turns.
  /// - Returns: false if the place has had its turn.
  func takeTurn(of place: Place?) -> Bool { place.map { loopTurns.places.insert($0).inserted } ?? true }
}
