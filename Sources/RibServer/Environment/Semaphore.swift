import Dispatch

/// A counting semaphore: a thread waits for it, and another one ends the waiting.
package protocol Semaphore: AnyObject, Sendable {
  /// Ends one waiting, also one that begins later.
  func signal()

  /// Waits for a signal.
  func wait()

  /// Waits for a signal, but not for ever.
  ///
  /// - Parameter end: until when at most, in nanoseconds of the clock that never jumps.
  /// - Returns: whether there was a signal; false if time was up.
  func wait(until end: UInt64) -> Bool
}

/// The system's semaphore.
final class SystemSemaphore: Semaphore {
  private let semaphore = DispatchSemaphore(value: 0)

  func signal() { semaphore.signal() }
  func wait() { semaphore.wait() }
  func wait(until end: UInt64) -> Bool {
    semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: end)) == .success
  }
}
