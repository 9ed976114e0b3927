import Logging
import Synchronization
import Wire

/// Says what was refused at the door, and which setting would let it in: each thing once in a minute.
///
/// A stranger can choose what is refused: of each kind only ``countLimit`` things are said in a minute, and then that there are more.
final class RefusalLog: Sendable {
  /// What is refused.
  enum Kind: String {
    case host
    case origin
    /// Whoever speaks for others.
    case proxy
    /// One more connection of a place.
    case connections
    /// One more session of a place.
    case sessions
    /// A credential.
    case credentials
    /// A question that the authenticator could not answer.
    case authenticator

    /// The level at which it is said: a wrong credential is everyday, all else asks for a setting or for help.
    fileprivate var level: Logger.Level { self == .credentials ? .info : .notice }
  }

  /// The minutes of the log, in nanoseconds: the first begins with the first refusal of its kind.
  static let pause: UInt64 = 60_000_000_000
  /// How many of a kind are said within that time.
  static let countLimit = 20

  /// What was said of a kind since a time.
  private struct Said {
    var start: UInt64
    var names: Set<ExactString> = []
  }

  private let logger: Logger
  private let time: TimeSource
  private let said = Mutex<[Kind: Said]>([:])

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
  ///   - kind: of what.
  ///   - message: what was refused.
  ///   - name: of which host, origin or address.
  ///   - metadata: the rest, with what is to be set.
  func note(
    _ kind: Kind, _ message: Logger.Message, _ name: String, _ metadata: @autoclosure () -> Logger.Metadata
  ) {
    let now = time.monotonic()
    let count = said.withLock { said -> Int? in
      var ofKind = said[kind] ?? Said(start: now)
      if now - min(ofKind.start, now) >= Self.pause { ofKind = Said(start: now) }
      guard ofKind.names.count <= Self.countLimit, ofKind.names.insert(ExactString(name)).inserted else { return nil }
      said[kind] = ofKind
      return ofKind.names.count
    }
    guard let count else { return }
    guard count <= Self.countLimit else {
      return logger.log(
        level: kind.level, "More of the same was refused, and is not said until a minute is over.",
        metadata: ["kind": "\(kind.rawValue)", "last": "\(name.forLog)"])
    }
    logger.log(level: kind.level, message, metadata: metadata())
  }
}
