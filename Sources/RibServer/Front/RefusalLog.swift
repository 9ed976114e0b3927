import Logging
import Synchronization

/// Says what was refused at the door, and which setting would let it in: once a minute of each.
final class RefusalLog: Sendable {
  /// How long nothing is said of the same again, in nanoseconds.
  private static let pause: UInt64 = 60_000_000_000
  /// How many are remembered: what is refused a stranger can choose.
  static let countLimit = 64

  private let logger: Logger
  private let time: TimeSource
  /// When each was said last.
  private let said = Mutex<[String: UInt64]>([:])

  /// A log.
  ///
  /// - Parameters:
  ///   - logger: where it is said.
  ///   - time: the clock.
  init(_ logger: Logger, _ time: TimeSource) {
    self.logger = logger
    self.time = time
  }

  /// Takes note of a refusal.
  ///
  /// - Parameters:
  ///   - message: what was refused.
  ///   - name: of which host, origin or address.
  ///   - metadata: the rest, with what is to be set.
  func note(_ message: Logger.Message, _ name: String, _ metadata: @autoclosure () -> Logger.Metadata) {
    let now = time.monotonic()
    let isNew = said.withLock { said in
      if let last = said[name], now - min(last, now) < Self.pause { return false }
      if said.count >= Self.countLimit { said = said.filter { now - min($0.value, now) < Self.pause } }
      guard said.count < Self.countLimit else { return false }
      said[name] = now
      return true
    }
    if isNew { logger.notice(message, metadata: metadata()) }
  }
}
