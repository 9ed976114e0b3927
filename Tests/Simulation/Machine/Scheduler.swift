/// Time, and what is to run in it.
///
/// One thread does everything, a step after the other. Work takes no time; time passes when nothing is left to do. Which of
/// several lanes goes first is drawn at random.
final class Scheduler {
  private struct Timer {
    let due: UInt64
    let number: Int
    let owner: SimulatedProcess?
    let action: () -> Void
  }

  /// Nanoseconds since the schedule began.
  private(set) var now: UInt64
  /// Steps that were taken.
  private(set) var stepCount = 0
  var random: SimulationRandom
  /// Called when nothing is left to do at this time; may make a lane ready.
  var willPass: () -> Void = {}
  private var ready: [Lane] = []
  /// The next one last.
  private var timers: [Timer] = []
  private var timerCount = 0
  /// Steps since time has passed.
  private var stepsAtOnce = 0

  /// More steps at one point in time are taken for a loop without an end.
  private static let stepLimit = 200_000

  init(now: UInt64 = 0, _ random: SimulationRandom) {
    self.now = now
    self.random = random
  }

  /// Has a lane take its turn.
  func makeReady(_ lane: Lane) {
    guard !lane.isReady else { return }
    lane.isReady = true
    guard !lane.process.isHeldUp else { return hold(lane) }
    ready.append(lane)
  }

  /// Has something done at a time.
  ///
  /// - Parameters:
  ///   - time: when; not before now.
  ///   - owner: the process whose it is, if any: its end is the end of it.
  ///   - action: what.
  func at(_ time: UInt64, of owner: SimulatedProcess? = nil, _ action: @escaping () -> Void) {
    timerCount += 1
    let timer = Timer(due: max(time, now), number: timerCount, owner: owner, action: action)
    var low = 0
    var high = timers.count
    while low < high {
      let middle = (low + high) / 2
      if timers[middle].due > timer.due { low = middle + 1 } else { high = middle }
    }
    timers.insert(timer, at: low)
  }

  /// Takes a step, or lets time pass.
  ///
  /// - Parameter end: until when at most.
  /// - Returns: whether there is more to do until then.
  /// - Throws: ``Finding`` if there is no end of steps without time passing.
  func step(until end: UInt64) throws(Finding) -> Bool {
    if ready.isEmpty { willPass() }
    guard ready.isEmpty else {
      stepsAtOnce += 1
      guard stepsAtOnce < Self.stepLimit else { throw Finding(.stuck, "there is no end of steps at \(now) ns") }
      takeTurn()
      return true
    }
    guard let next = timers.last, next.due <= end else {
      now = max(now, end)
      return false
    }
    if next.due > now {
      now = next.due
      stepsAtOnce = 0
    }
    stepCount += 1
    timers.removeLast()
    if let owner = next.owner, owner.isHeldUp {
      owner.hold { next.action() }
    } else {
      next.action()
    }
    return true
  }

  private func takeTurn() {
    stepCount += 1
    let index = ready.count == 1 ? 0 : random.below(ready.count)
    let lane = ready[index]
    ready.swapAt(index, ready.count - 1)
    ready.removeLast()
    lane.isReady = false
    lane.process.disk.run { lane.takeTurn() }
  }

  /// Takes from a process what has its turn, until it goes on.
  func holdUp(_ process: SimulatedProcess) {
    for lane in ready where lane.process === process { hold(lane) }
    ready.removeAll { $0.process === process }
  }

  private func hold(_ lane: Lane) {
    lane.process.hold {
      lane.isReady = false
      lane.process.scheduler.makeReady(lane)
    }
  }

  /// Hands all that is a process's to another scheduler.
  func move(_ process: SimulatedProcess, to other: Scheduler) {
    for timer in timers.reversed() where timer.owner === process { other.at(timer.due, of: process, timer.action) }
    timers.removeAll { $0.owner === process }
    for lane in ready where lane.process === process {
      lane.isReady = false
      other.makeReady(lane)
    }
    ready.removeAll { $0.process === process }
  }

  /// Forgets what is left: nothing of it will be done.
  func clear() {
    // What they hold may do something as it ends.
    let (oldTimers, oldLanes) = (timers, ready)
    (timers, ready) = ([], [])
    withExtendedLifetime((oldTimers, oldLanes)) {}
  }
}

/// Something of a process whose work is done in turns: a queue, or a pool of tasks.
class Lane {
  let process: SimulatedProcess
  /// Whether it waits for its turn.
  fileprivate(set) var isReady = false

  init(_ process: SimulatedProcess) { self.process = process }

  /// Does one thing.
  func takeTurn() { preconditionFailure("a lane says what it does") }
}
