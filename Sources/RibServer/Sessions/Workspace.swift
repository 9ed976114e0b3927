import RibCore
import Wire

/// What the sessions and channels of one loop work with, one after the other: the time of the present batch of events, and
/// memory that would be dear to allocate for each.
///
/// It belongs to the loop, as they do. No access to what is not checked for exclusivity calls user code, nor anything that
/// comes back to it.
final class Workspace {
  let environment: Environment
  /// Where it is noted what runs, in case it makes the process die.
  let flight: FlightRecorder.Slot?
  /// Bytes that may wait for a client that does not read, before it gets no more patches.
  let writeQueueLimit: Int
  /// Nanoseconds of the monotonic clock, read once for each batch of events.
  @exclusivity(unchecked) var now: UInt64
  let viewRenderer = ViewRenderer()
  @exclusivity(unchecked) var reader: JSONReader
  /// Where a message is written before it is put on its way.
  @exclusivity(unchecked) var json = JSONWriter()
  @exclusivity(unchecked) var sendStorage = SendStorage()
  #if DEBUG
    /// Rules that are not kept, so that a test sees what each is good for.
    var brokenRules: Set<SessionRule> = []
  #endif

  /// What sent bytes and a written message may keep of memory for the next ones, in bytes.
  static let largestKept = 1 << 20

  /// The memory of a loop.
  ///
  /// - Parameters:
  ///   - environment: the clocks and the random bits.
  ///   - flight: where it is noted what runs.
  ///   - messageLimit: bytes that a message may have.
  ///   - writeQueueLimit: bytes that may wait for a client that does not read.
  init(
    _ environment: Environment = .system, flight: FlightRecorder.Slot? = nil, messageLimit: Int, writeQueueLimit: Int
  ) {
    self.environment = environment
    self.flight = flight
    self.writeQueueLimit = writeQueueLimit
    now = environment.time.monotonic()
    reader = JSONReader(limits: JSONLimits(bytes: messageLimit))
  }

  /// Nanoseconds of the monotonic clock, at this moment.
  func time() -> UInt64 { environment.time.monotonic() }

  #if DEBUG
    /// Whether a rule is kept.
    func keeps(_ rule: SessionRule) -> Bool { !brokenRules.contains(rule) }
  #else
    /// Whether a rule is kept: each is.
    @inline(__always) func keeps(_ rule: SessionRule) -> Bool { true }
  #endif
}

/// The rules of a session that keep an action from being lost or doubled, and a publication from being missed.
///
/// A debug build can be told not to keep one; the model's tests show that each is needed.
enum SessionRule: String, Sendable {
  /// Nothing leaves before the commit that holds it.
  case commitFirst
  /// Refusals are committed with their numbers, and repeated in `welcome` until they are acknowledged.
  case nackKept
  /// A refusal goes out before a message whose `n` covers it.
  case nackFirst
  /// A `hello` whose `try` is not above the last accepted one is refused.
  case tryChecked
  /// Nothing more is read from a connection that was overtaken.
  case overtakenUnread
  /// An action that was run or refused is not run again.
  case onceOnly
  /// What a store could not write is a part of the next commit.
  case nothingLeftOut
  /// Nothing is let out while a store fails from which another process may take the session.
  case storeAwaited
  /// A session that wakes keeps the revision that it had.
  case wakeRevision
  /// A session that wakes with another view has another epoch.
  case wakeHash
  /// Effects start after the commit that holds their cause.
  case effectsAfterCommit
  /// What a session at rest observes wakes it.
  case bellsArmed
}
