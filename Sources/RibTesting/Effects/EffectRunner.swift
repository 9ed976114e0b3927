import RibCore
import Synchronization

/// Which effect a task works for.
struct EffectContext: Sendable {
  @TaskLocal static var current: EffectContext?

  let token: EffectToken
  let runner: EffectRunner
}

/// An effect that was started and has not ended.
struct EffectFlight {
  let effect: EffectStart
  /// What started it, and where.
  let origin: Origin
  fileprivate let task: Task<Void, Never>

  /// The name that the riblet gave it, or what it is.
  var name: String { effect.id.map { "\"\($0)\"" } ?? "without a name" }
}

/// What an effect has to say to its tree.
enum EffectMessage {
  /// What it has sent; without the effect if that was cancelled meanwhile.
  case report(EffectReport, from: EffectFlight?)
  case ended(EffectFlight, failure: (any Error)?)
}

/// Runs effects on a ``ManualExecutor``, and hands on what they send, one after the other, on the test's thread.
///
/// `@unchecked`: all but the mailbox and the sleepers belongs to the test's thread, on which the clock is advanced, too.
final class EffectRunner: @unchecked Sendable {
  private struct Sleep {
    let token: EffectToken
    let deadline: ManualClock.Instant
    let clock: ManualClock
  }

  private enum Letter {
    case report(EffectReport, from: EffectToken, CheckedContinuation<Void, Never>)
    case ended(EffectToken, failure: (any Error)?)
  }

  /// How much may arrive before the test goes on.
  static let arrivalLimit = 10_000
  /// How often effects may go on before the test does.
  private static let jobLimit = 1_000_000

  let executor = ManualExecutor()
  private let mailbox = Mutex<(letters: [Letter], isOver: Bool)>(([], false))
  private let sleepers = Mutex<[Sleep]>([])
  private var flights: [EffectToken: EffectFlight] = [:]
  private var order: [EffectToken] = []
  private var isSettling = false
  /// Takes what arrives.
  var deliver: (EffectMessage) -> Void = { _ in }
  /// Called if effects send without end.
  var onOverflow: ([EffectFlight]) -> Void = { _ in }
  /// How many reports have arrived since the test last acted, less those that it has waited for.
  private var arrivals = 0

  /// What has started and not ended, in order.
  var inFlight: [EffectFlight] { order.compactMap { flights[$0] } }

  func start(_ effect: EffectStart, from origin: Origin) {
    // What was given up begins nothing new.
    if mailbox.withLock({ $0.isOver }) { return }
    let context = EffectContext(token: effect.token, runner: self)
    let task = Task(executorPreference: executor) { [self] in
      var failure: (any Error)?
      do {
        try await EffectContext.$current.withValue(context) {
          try await effect.run { [self] report in
            await withCheckedContinuation { put(.report(report, from: effect.token, $0)) }
          }
        }
      } catch {
        failure = error
      }
      put(.ended(effect.token, failure: failure))
    }
    flights[effect.token] = EffectFlight(effect: effect, origin: origin, task: task)
    order.append(effect.token)
  }

  func cancel(_ token: EffectToken) {
    flights.removeValue(forKey: token)?.task.cancel()
    order.removeAll { $0 == token }
  }

  /// Lets every effect go on as far as it can, and delivers what it sends.
  ///
  /// - Returns: whether there was anything to do.
  @discardableResult
  func settle() -> Bool {
    // What is delivered may start effects; they are part of what is under way.
    guard !isSettling else { return false }
    isSettling = true
    defer { isSettling = false }
    var (hasWorked, count, jobs) = (false, 0, 0)
    while true {
      let jobsBefore = jobs
      jobs += executor.run(atMost: Self.jobLimit - jobs)
      if jobs > jobsBefore { hasWorked = true }
      if jobs >= Self.jobLimit {
        overflow()
        return true
      }
      guard let letter = mailbox.withLock({ $0.letters.isEmpty ? nil : $0.letters.removeFirst() }) else {
        return hasWorked
      }
      hasWorked = true
      count += 1
      if count > Self.arrivalLimit, case .report(_, _, let continuation) = letter {
        overflow()
        continuation.resume()
        return true
      }
      switch letter {
      case .report(let report, let token, let continuation):
        arrivals += 1
        deliver(.report(report, from: flights[token]))
        continuation.resume()
      case .ended(let token, let failure):
        guard let flight = flights.removeValue(forKey: token) else { continue }
        order.removeAll { $0 == token }
        deliver(.ended(flight, failure: failure))
      }
    }
  }

  /// Gives up all effects because they go on without end.
  func overflow() {
    onOverflow(inFlight)
    retire()
  }

  /// Gives up all effects: what they still do is nobody's business any more, and not on the test's thread.
  func retire() {
    executor.retire()
    for flight in inFlight { cancel(flight.effect.token) }
    let letters = mailbox.withLock { mailbox in
      defer { mailbox.letters = [] }
      mailbox.isOver = true
      return mailbox.letters
    }
    for case .report(_, _, let continuation) in letters { continuation.resume() }
  }

  private func put(_ letter: Letter) {
    let isOver = mailbox.withLock { mailbox in
      if !mailbox.isOver { mailbox.letters.append(letter) }
      return mailbox.isOver
    }
    if isOver, case .report(_, _, let continuation) = letter { continuation.resume() }
    executor.wake()
  }

  // MARK: Waiting

  /// Lets the test act: what has arrived before is not waited for any more.
  func forgetArrivals() { arrivals = 0 }

  /// Takes note that the test has waited for a report.
  ///
  /// - Returns: false if there was none.
  func takeArrival() -> Bool {
    guard arrivals > 0 else { return false }
    arrivals -= 1
    return true
  }

  /// What came of a wait.
  enum Wait {
    case over
    /// No effect waits for something outside.
    case inVain
    /// The time is up.
    case tooLong
  }

  /// Lets effects go on until something is true.
  ///
  /// - Parameters:
  ///   - limit: how long in real time.
  ///   - evenAsleep: whether to wait for effects that sleep, too: they may wait for something else besides.
  ///   - condition: looked at whenever something has happened.
  /// - Returns: what came of it.
  func wait(atMost limit: Duration, evenAsleep: Bool, until condition: () -> Bool) async -> Wait {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: limit)
    let watchdog = Task { [executor] in
      try? await clock.sleep(until: end)
      executor.wake()
    }
    defer { watchdog.cancel() }
    settle()
    while !condition() {
      if (evenAsleep ? inFlight : outside).isEmpty { return .inVain }
      if clock.now >= end || Task.isCancelled { return .tooLong }
      await executor.waitForNews()
      settle()
    }
    return .over
  }

  // MARK: Sleepers

  func didFallAsleep(_ effect: EffectContext, until deadline: ManualClock.Instant, on clock: ManualClock) {
    sleepers.withLock { $0.append(Sleep(token: effect.token, deadline: deadline, clock: clock)) }
  }

  func didWake(_ effect: EffectContext, at deadline: ManualClock.Instant, on clock: ManualClock) {
    sleepers.withLock { sleepers in
      let index = sleepers.firstIndex { $0.token == effect.token && $0.deadline == deadline && $0.clock === clock }
      if let index { sleepers.remove(at: index) }
    }
  }

  /// How long an effect sleeps on a manual clock; nil if it does not.
  func sleepingTime(of flight: EffectFlight) -> Duration? {
    sleepers.withLock { $0.filter { $0.token == flight.effect.token } }
      .map { $0.clock.now.duration(to: $0.deadline) }.min()
  }

  /// What waits for something that is not the test's.
  var outside: [EffectFlight] { inFlight.filter { sleepingTime(of: $0) == nil } }
}
