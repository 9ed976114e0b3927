import RibCore
import Synchronization

/// The effect that the current task works for.
struct EffectContext: Sendable {
  @TaskLocal static var current: EffectContext?

  let token: EffectToken
  let runner: EffectRunner
}

/// An effect that has started and has not ended.
struct EffectFlight {
  let effect: EffectStart
  /// The line of the test that caused the effect.
  let origin: Origin
  fileprivate let task: Task<Void, Never>

  /// The effect's name for a failure's text, in quotes; or that it has none.
  var name: String { effect.id.map { "\"\($0)\"" } ?? "without a name" }
}

/// A message from an effect to its tree.
enum EffectMessage {
  /// What an effect has sent; the flight is nil if the effect was cancelled meanwhile.
  case report(EffectReport, from: EffectFlight?)
  case ended(EffectFlight, failure: (any Error)?)
}

/// Runs effects on a ``ManualExecutor``, and delivers what they send, one message after the other, on the test's
/// thread.
///
/// `@unchecked Sendable`: the mailbox and the sleepers have locks; everything else is used on the test's thread only,
/// on which the clock is advanced as well.
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

  /// How many messages may arrive while the effects settle: beyond that, they send without end.
  static let arrivalLimit = 10_000
  /// How many jobs may run while the effects settle: beyond that, they go on without end.
  private static let jobLimit = 1_000_000

  let executor = ManualExecutor()
  private let mailbox = Mutex<(letters: [Letter], isOver: Bool)>(([], false))
  private let sleepers = Mutex<[Sleep]>([])
  private var flights: [EffectToken: EffectFlight] = [:]
  private var order: [EffectToken] = []
  private var isSettling = false
  /// Delivers a message to the tree.
  var deliver: (EffectMessage) -> Void = { _ in }
  /// Called if effects send or go on without end.
  var onOverflow: ([EffectFlight]) -> Void = { _ in }
  /// How many reports have arrived since the test last acted and have not been waited for.
  private var arrivals = 0

  /// The effects that have started and not ended, in order.
  var inFlight: [EffectFlight] { order.compactMap { flights[$0] } }

  func start(_ effect: EffectStart, from origin: Origin) {
    // Once the runner has given up, no effects are started.
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

  /// Lets every effect go on as far as it can, and delivers what the effects send.
  ///
  /// - Returns: whether any effect went on or any message arrived.
  @discardableResult
  func settle() -> Bool {
    // Delivering a message may start effects and settle again; the loop that is under way runs those too.
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

  /// Gives up all effects, because they go on without end.
  func overflow() {
    onOverflow(inFlight)
    retire()
  }

  /// Gives up all effects: they are cancelled, go on elsewhere than on the test's thread, and nothing that they send is
  /// delivered.
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

  /// Begins an action of the test: reports that arrived earlier need not be waited for any more.
  func forgetArrivals() { arrivals = 0 }

  /// Counts one report as waited for.
  ///
  /// - Returns: false if no report has arrived that was not waited for.
  func takeArrival() -> Bool {
    guard arrivals > 0 else { return false }
    arrivals -= 1
    return true
  }

  /// The outcome of a wait.
  enum Wait {
    case over
    /// There is no effect that could bring what is waited for.
    case inVain
    /// The time is over.
    case tooLong
  }

  /// Lets effects go on until a condition is true.
  ///
  /// - Parameters:
  ///   - limit: how long to wait, in real time.
  ///   - evenAsleep: whether to wait also for effects that sleep on a manual clock, as they may wait for something else
  ///     as well.
  ///   - condition: evaluated after each message and each job from outside.
  /// - Returns: how the wait ended.
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

  /// How long an effect will sleep on a manual clock; nil if it does not sleep.
  func sleepingTime(of flight: EffectFlight) -> Duration? {
    sleepers.withLock { $0.filter { $0.token == flight.effect.token } }
      .map { $0.clock.now.duration(to: $0.deadline) }.min()
  }

  /// The effects that wait for something outside of the test: those that do not sleep on a manual clock.
  var outside: [EffectFlight] { inFlight.filter { sleepingTime(of: $0) == nil } }
}
