import RibCore
import Synchronization
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
  /// The settings that the loop goes by.
  @exclusivity(unchecked) private(set) var rules: Rules
  /// Bytes that may wait for a client that does not read, before it gets no more patches.
  @exclusivity(unchecked) private(set) var writeQueueLimit: Int
  /// Nanoseconds of the monotonic clock, read once for each batch of events.
  @exclusivity(unchecked) var now: UInt64
  /// Until when a place or a person that the loop has served has to wait; 0 if none has.
  @exclusivity(unchecked) private(set) var debtEnd: UInt64 = 0
  let viewRenderer = ViewRenderer()
  @exclusivity(unchecked) var reader: JSONReader
  private var readerLimit: Int
  /// Where a message is written before it is put on its way.
  @exclusivity(unchecked) var json = JSONWriter()
  @exclusivity(unchecked) var sendStorage = SendStorage()
  /// The trace of the request that is being answered; nil for what comes over a connection, or has no trace.
  @exclusivity(unchecked) var trace: RequestTrace?
  /// What was taken up last; the loop alone writes, and the watchdog reads.
  private let errand = Atomic<UInt8>(0)
  /// What is counted.
  @exclusivity(unchecked) var stats = LoopStats()
  /// The newest slow transactions.
  var slow = SlowLog()
  /// How long each action takes; nil unless somebody looks.
  @exclusivity(unchecked) var book: ActionBook?

  /// What sent bytes and a written message may keep of memory for the next ones, in bytes.
  static let largestKept = 1 << 20

  /// The memory of a loop.
  ///
  /// - Parameters:
  ///   - environment: the clocks and the random bits.
  ///   - flight: where it is noted what runs.
  ///   - messageLimit: bytes that a message may have.
  ///   - writeQueueLimit: bytes that may wait for a client that does not read.
  ///   - rules: the settings to go by, with other limits than these two.
  init(
    _ environment: Environment = .system, flight: FlightRecorder.Slot? = nil, messageLimit: Int, writeQueueLimit: Int,
    rules: Rules = Rules()
  ) {
    self.rules = rules
    readerLimit = messageLimit
    self.environment = environment
    self.flight = flight
    self.writeQueueLimit = writeQueueLimit
    now = environment.time.monotonic()
    reader = Self.makeReader(messageLimit)
  }

  /// Goes by other rules from now on.
  ///
  /// Between two events: what is handled goes by one set of rules.
  func follow(_ rules: Rules) {
    self.rules = rules
    writeQueueLimit = rules.settings.limits.writeQueue
    // Clients that are connected may go on to send what they were told that they may: their frames hold each to its limit.
    guard rules.settings.limits.message > readerLimit else { return }
    readerLimit = rules.settings.limits.message
    reader = Self.makeReader(readerLimit)
  }

  /// A reader of what clients send: what is nested too deeply is found out when it is decoded, and costs an action, not the message.
  private static func makeReader(_ bytes: Int) -> JSONReader {
    JSONReader(limits: JSONLimits(depth: .max, bytes: bytes))
  }

  /// Takes note that a place or a person has to wait.
  ///
  /// - Parameter nanoseconds: how long.
  func noteDebt(_ nanoseconds: UInt64) { debtEnd = max(debtEnd, now + nanoseconds) }

  /// Takes note of what is taken up.
  func begin(_ errand: Errand) { self.errand.store(errand.rawValue, ordering: .relaxed) }

  /// What was taken up last; from any thread.
  var lastErrand: Errand { Errand(rawValue: errand.load(ordering: .relaxed)) ?? .job }

  /// Nanoseconds of the monotonic clock, at this moment.
  func time() -> UInt64 { environment.time.monotonic() }
}
