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
  case report(EffectReport)
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
    case report(EffectToken, EffectReport, CheckedContinuation<Void, Never>)
    case ended(EffectToken, failure: (any Error)?)
  }

  /// How much may arrive before the test goes on.
  static let arrivalLimit = 10_000

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
  /// What has arrived since the test's last step, and nobody has waited for.
  private var arrivals: [EffectID?: Int] = [:]

  /// What has started and not ended, in order.
  var inFlight: [EffectFlight] { order.compactMap { flights[$0] } }

  func start(_ effect: EffectStart, from origin: Origin) {
    let context = EffectContext(token: effect.token, runner: self)
    let task = Task(executorPreference: executor) { [self] in
      var failure: (any Error)?
      do {
        try await EffectContext.$current.withValue(context) {
          try await effect.run { [self] report in
            await withCheckedContinuation { put(.report(effect.token, report, $0)) }
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
    var (hasWorked, count) = (false, 0)
    while true {
      if executor.runUntilIdle() { hasWorked = true }
      guard let letter = mailbox.withLock({ $0.letters.isEmpty ? nil : $0.letters.removeFirst() }) else {
        return hasWorked
      }
      hasWorked = true
      count += 1
      if count > Self.arrivalLimit, case .report(_, _, let continuation) = letter {
        onOverflow(inFlight)
        retire()
        continuation.resume()
        return true
      }
      switch letter {
      case .report(let token, let report, let continuation):
        if let flight = flights[token] { arrivals[flight.effect.id, default: 0] += 1 }
        deliver(.report(report))
        continuation.resume()
      case .ended(let token, let failure):
        guard let flight = flights.removeValue(forKey: token) else { continue }
        order.removeAll { $0 == token }
        arrivals[flight.effect.id, default: 0] += 1
        deliver(.ended(flight, failure: failure))
      }
    }
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

  /// Begins a step of the test: what has arrived before is not waited for any more.
  func forgetArrivals() { arrivals = [:] }

  /// Waits until something has arrived from one of the effects of a name, be it before the wait has begun.
  ///
  /// - Returns: false if there is nothing to wait for.
  func waitForArrival(from id: EffectID) async -> Bool {
    settle()
    while arrivals[id] == nil, inFlight.contains(where: { $0.effect.id == id }), !Task.isCancelled { await goOn() }
    return takeArrival(from: id)
  }

  /// Waits until something has arrived from an effect that is outside of the test.
  ///
  /// - Returns: false if there is nothing to wait for.
  func waitForArrival() async -> Bool {
    settle()
    // What was outside and has arrived already need not be waited for; nobody knows, if others are there still.
    let awaited = outside.map(\.effect.id)
    if awaited.isEmpty {
      defer { forgetArrivals() }
      return !arrivals.isEmpty
    }
    for id in awaited { arrivals[id] = nil }
    while !awaited.contains(where: { takeArrival(from: $0) }), !outside.isEmpty, !Task.isCancelled { await goOn() }
    return true
  }

  private func goOn() async {
    await executor.waitForNews()
    settle()
  }

  private func takeArrival(from id: EffectID?) -> Bool {
    guard let count = arrivals[id] else { return false }
    arrivals[id] = count == 1 ? nil : count - 1
    return true
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
