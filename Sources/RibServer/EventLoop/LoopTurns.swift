// The order of turns on a loop that is late or has a backlog.

/// The jobs that have yielded, and the places that have had a turn in the present batch of events.
///
/// The jobs of a place run in order. The places take turns (deficit round-robin): a turn ends with the place's last job, or once its jobs
/// have taken 10 ms.
struct LoopTurns {
  /// Elements in the order in which they were added.
  private struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0
    var isEmpty: Bool { head == elements.count }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeFirst() {
      elements[head] = nil
      head += 1
      // At most half of the storage is unused.
      if head * 2 >= elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
  }

  /// The yielded jobs of each place that has some.
  private var jobs: [Place?: Queue<() -> Void>] = [:]
  /// These places; the first one has its turn.
  private var order = Queue<Place?>()
  /// The time that the first place's jobs have taken in its turn, in nanoseconds.
  private var used: UInt64 = 0
  /// The number of yielded jobs.
  private(set) var count = 0
  /// Whether the loop runs yielded jobs now.
  var runsYielded = false
  /// The places that have taken their turn: see ``EventLoop/takeTurn(of:)``.
  fileprivate var places: Set<Place> = []

  /// Begins a batch of events.
  mutating func beginBatch() { if !places.isEmpty { places.removeAll(keepingCapacity: true) } }

  /// Adds a job behind those of its place.
  mutating func add(of place: Place?, _ body: @escaping () -> Void) {
    if jobs[place] == nil { order.append(place) }
    jobs[place, default: Queue()].append(body)
    count += 1
  }

  /// Removes the next job.
  ///
  /// - Returns: the job and its place; nil if there is none.
  mutating func next() -> (place: Place?, body: () -> Void)? {
    guard let place = order.first, let body = jobs[place]?.first else { return nil }
    count -= 1
    jobs[place]?.removeFirst()
    if jobs[place]?.isEmpty != false {
      jobs[place] = nil
      order.removeFirst()
      used = 0
    }
    return (place, body)
  }

  /// Takes note of how long a job has taken.
  ///
  /// - Parameters:
  ///   - place: the job's place.
  ///   - nanoseconds: the time.
  mutating func didRun(for place: Place?, _ nanoseconds: UInt64) {
    guard let first = order.first, first == place else { return }
    used += nanoseconds
    guard used >= EventLoop.longestTurn else { return }
    order.removeFirst()
    order.append(place)
    used = 0
  }

  /// Whether jobs of a place wait while the loop handles events.
  func hasBacklog(of place: Place?) -> Bool { !runsYielded && jobs[place] != nil }
}

extension EventLoop {
  /// Runs a job on the loop after the connections that are ready now.
  ///
  /// After each 10 ms of yielded jobs, the loop handles events.
  ///
  /// - Parameters:
  ///   - place: the place that the job serves; nil for the server's own machine.
  ///   - body: the job.
  func yield(to place: Place?, _ body: @escaping () -> Void) {
    loopTurns.add(of: place, body)
    if loopTurns.count == 1, !loopTurns.runsYielded { execute { [self] in runYielded() } }
  }

  private func runYielded() {
    loopTurns.runsYielded = true
    // Jobs that yield again leave time for events.
    var left = loopTurns.count
    var start = now
    repeat {
      guard let (place, body) = loopTurns.next() else { break }
      body()
      let end = time()
      loopTurns.didRun(for: place, end - start)
      (start, left) = (end, left - 1)
    } while left > 0 && start - now < Self.longestTurn
    loopTurns.runsYielded = false
    if loopTurns.count > 0 { execute { [self] in runYielded() } }
  }

  /// The loop time that one peer, or the yielded jobs together, can take before events are handled, in nanoseconds.
  static let longestTurn: UInt64 = 10_000_000

  /// Takes the one turn that a place has in the present batch.
  ///
  /// - Parameter place: the place; nil for the server's own machine, which has any number of turns.
  /// - Returns: false if the place has had its turn.
  func takeTurn(of place: Place?) -> Bool { place.map { loopTurns.places.insert($0).inserted } ?? true }
}
