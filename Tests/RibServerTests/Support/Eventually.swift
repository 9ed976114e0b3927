import Foundation

/// Waiting for what no event tells, by a look every two milliseconds.
///
/// Looking without a pause would take a core from the server that is waited for.
enum Poll {
  /// Milliseconds between two looks.
  private static let pause = 2

  static func pauseTask() async throws { try await Task.sleep(for: .milliseconds(pause)) }

  static func pauseThread() { usleep(UInt32(pause) * 1000) }

  /// ``eventually(within:_:)-(_,()->Bool)`` for a thread that may wait.
  ///
  /// - Throws: what `isTrue` throws.
  static func untilTrue(_ isTrue: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(patience)
    while try !isTrue() {
      guard ContinuousClock.now < end else { return false }
      pauseThread()
    }
    return true
  }

  /// Seconds after which what has not become true never will: beside builds on all cores a second's work takes a minute.
  static let patience = 300.0
}

/// Asks again and again until something is true, for what no event tells.
///
/// - Returns: false if it is still not true after `seconds`, or when the test is cancelled.
func eventually(within seconds: Double = Poll.patience, _ isTrue: () -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while !isTrue() {
    guard ContinuousClock.now < end, (try? await Poll.pauseTask()) != nil else { return false }
  }
  return true
}

/// The same for what takes a while to ask.
///
/// - Throws: what `isTrue` throws.
func eventually(within seconds: Double = Poll.patience, _ isTrue: () async throws -> Bool) async throws -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while try await !isTrue() {
    guard ContinuousClock.now < end, (try? await Poll.pauseTask()) != nil else { return false }
  }
  return true
}

/// The same for a thread that may wait.
///
/// - Throws: ``NeverTrue`` if it is still not true after `seconds`, and what `isTrue` throws.
func waitUntil(within seconds: Double = Poll.patience, _ isTrue: () throws -> Bool) throws {
  let end = ContinuousClock.now + .seconds(seconds)
  while try !isTrue() {
    guard ContinuousClock.now < end else { throw NeverTrue(seconds: seconds) }
    Poll.pauseThread()
  }
}

/// What was waited for has not become true.
struct NeverTrue: Error { let seconds: Double }
