import Foundation
import Wire

@testable import RibServer

/// A store that fails, or takes its time, when it is told to.
///
/// `@unchecked Sendable`: what changes is only touched with the condition locked.
final class SwitchedStore: SessionStore, @unchecked Sendable {
  /// Whether another process could have a session; nil for what the other store says.
  private let isShared: Bool?
  private let base: any SessionStore
  private let condition = NSCondition()
  private var isFailing = false
  private var failsWrites = false
  private var failsProbes = false
  private var failsRests = false
  private var losesAnswers = false
  private var refused: Set<String> = []
  private var lastID: String?
  private var sizes: [Int] = []
  private var isHeld = false
  private var holdsFrom = Int.max
  private var heldName: String?
  private var waiting = 0
  private var hasClosed = false
  private var log: [String] = []

  /// - Parameters:
  ///   - base: what does the work.
  ///   - outage: what sessions do while it fails; nil for what the other store says.
  ///   - isShared: whether another process could have a session; nil for what the other store says.
  init(_ base: any SessionStore, outage: Outage? = nil, isShared: Bool? = false) {
    self.isShared = isShared
    self.base = base
    self.outage = outage ?? base.outage
  }

  var durability: Welcome.Durability { base.durability }
  let outage: Outage

  func begin(_ start: StoreStart) throws(StoreError) -> Int { try base.begin(start) }
  func known(of entry: FlightEntry) -> (app: String, count: Int)? { base.known(of: entry) }

  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult] {
    let names = requests.map { String("\($0)".prefix { $0 != "(" }) }
    condition.lock()
    while isHeld || log.count >= holdsFrom || heldName.map(names.contains) ?? false {
      waiting += 1
      condition.wait()
      waiting -= 1
    }
    log += names
    sizes.append(requests.count)
    let created = requests.compactMap { if case .create(let identity, _) = $0 { identity.id } else { nil } }
    let fails =
      isFailing || (failsWrites && names != ["probe"]) || (failsProbes && names == ["probe"])
      || (failsRests && requests.contains { $0.cut?.state.rest != nil })
    let losesAnswers = losesAnswers
    let isRefused = !refused.isDisjoint(with: created)
    if let lastID, !isRefused, created.contains(lastID) { isFailing = true }
    condition.unlock()
    if losesAnswers {
      _ = try base.perform(requests)
      throw StoreError("The test has the answer get lost.")
    }
    guard !fails else { throw StoreError("The test has it fail.") }
    guard !isRefused else { throw StoreError("The test has it refused.", isGlobal: false) }
    return try base.perform(requests)
  }

  func isShared(since time: UInt64) -> Bool { isShared ?? base.isShared(since: time) }

  func close() {
    base.close()
    change { hasClosed = true }
  }

  private func change(_ body: () -> Void) {
    condition.lock()
    body()
    condition.broadcast()
    condition.unlock()
  }

  /// Has everything fail from here on, or nothing.
  func fail(_ fails: Bool) { change { isFailing = fails } }

  /// Has everything fail but what only asks whether it does.
  func failWrites(_ fails: Bool) { change { failsWrites = fails } }

  /// Has the question fail whether the store works, and nothing else.
  func failProbes(_ fails: Bool) { change { failsProbes = fails } }

  /// Has what a session writes that leaves memory fail, and nothing else.
  func failRests(_ fails: Bool) { change { failsRests = fails } }

  /// Has everything done, and every answer get lost, or none.
  func loseAnswers(_ loses: Bool) { change { losesAnswers = loses } }

  /// Has no batch succeed in which one of these is created.
  func refuse(_ ids: [String]) { change { refused = Set(ids) } }

  /// Has everything fail once a session was created.
  func fail(after id: String) { change { lastID = id } }

  /// How many requests each batch had.
  var batches: [Int] {
    condition.lock()
    defer { condition.unlock() }
    return sizes
  }

  /// Has what comes wait, or lets it go.
  func hold(_ holds: Bool) {
    change {
      isHeld = holds
      holdsFrom = .max
      heldName = nil
    }
  }

  /// Has what comes after so many requests wait.
  func hold(after count: Int) { change { holdsFrom = count } }

  /// Has whoever asks for this wait.
  func hold(at name: String) { change { heldName = name } }

  /// Whether somebody waits.
  var isWaiting: Bool {
    condition.lock()
    defer { condition.unlock() }
    return waiting > 0
  }

  /// Whether it was closed.
  var isClosed: Bool {
    condition.lock()
    defer { condition.unlock() }
    return hasClosed
  }

  /// What was asked for, in order.
  var requests: [String] {
    condition.lock()
    defer { condition.unlock() }
    return log
  }
}
