import RibTesting
import Synchronization
import Testing

struct ManualClockTests {
  private let clock = ManualClock()
  private let executor = ManualExecutor()

  /// Sleeps on the executor, and notes when it wakes.
  private func sleeper(_ name: String, _ duration: Duration, _ log: Log) -> Task<Void, Never> {
    let task = Task(executorPreference: executor) { [clock] in
      do {
        try await clock.sleep(for: duration)
        log.note("\(name) at \(clock.now.offset)")
      } catch {
        log.note("\(name) cancelled")
      }
    }
    executor.runUntilIdle()
    return task
  }

  @Test func time_standsStill() {
    #expect(clock.now == clock.now)
    clock.advance(by: .seconds(2))
    #expect(clock.now.offset == .seconds(2))
    clock.advance(by: .zero)
    #expect(clock.now.offset == .seconds(2))
  }

  @Test func sleepers_wakeInTheOrderOfTheirTimes() {
    let log = Log()
    for (name, seconds) in [("c", 3), ("a", 1), ("b", 2), ("d", 3)] { _ = sleeper(name, .seconds(seconds), log) }
    #expect(clock.sleeperCount == 4)
    clock.advance(by: .seconds(2))
    executor.runUntilIdle()
    #expect(log.take().sorted() == ["a at 2.0 seconds", "b at 2.0 seconds"])
    clock.advance(by: .milliseconds(999))
    executor.runUntilIdle()
    #expect(log.take() == [])
    clock.runUntilNobodySleeps()
    executor.runUntilIdle()
    #expect(log.take() == ["c at 3.0 seconds", "d at 3.0 seconds"])
    #expect(clock.sleeperCount == 0)
  }

  @Test func sleep_untilNow_isNone() {
    let log = Log()
    _ = sleeper("a", .zero, log)
    #expect(log.take() == ["a at 0.0 seconds"])
  }

  @Test func cancellation_wakes() {
    let log = Log()
    let task = sleeper("a", .seconds(1), log)
    task.cancel()
    executor.runUntilIdle()
    #expect(log.take() == ["a cancelled"])
    #expect(clock.sleeperCount == 0)
  }

  @Test func cancellation_beforeTheSleep_isOne() {
    let log = Log()
    let task = Task(executorPreference: executor) { [clock] in
      do {
        try await clock.sleep(for: .seconds(1))
      } catch {
        log.note("cancelled")
      }
    }
    task.cancel()
    executor.runUntilIdle()
    #expect(log.take() == ["cancelled"])
  }

  @Test func time_endsForAWhile() {
    let log = Log()
    _ = sleeper("a", .seconds(7200), log)
    clock.runUntilNobodySleeps(atMost: .seconds(60))
    #expect(clock.sleeperCount == 1)
    clock.runUntilNobodySleeps(atMost: .seconds(7200))
    #expect(clock.sleeperCount == 0)
    executor.runUntilIdle()
  }

  @Test func actors_runOnTheExecutor() {
    actor Counter {
      var count = 0
      func count(_ log: Log) {
        count += 1
        log.note("\(count)")
      }
    }
    let (counter, log) = (Counter(), Log())
    for _ in 1...3 { Task(executorPreference: executor) { await counter.count(log) } }
    #expect(log.take() == [])
    executor.runUntilIdle()
    #expect(log.take() == ["1", "2", "3"])
  }
}

/// What was noted, on whatever thread.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
