import Logging
import RibServer
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the daemon's loggers write, and which repetitions they leave out.
final class LogSink: Sendable {
  private let limit = Mutex(RepeatLimit())
  private let writing = Mutex(())
  private let isJournal: Bool
  private let levelIndex: Atomic<Int>
  /// The level that holds for a while in place of that one, and until when, in nanoseconds of the monotonic clock; 0 if there is none.
  private let lentIndex = Atomic<Int>(0)
  private let lentUntil = Atomic<UInt64>(0)
  private let time: TimeSource
  private let isJSON: Atomic<Bool>
  private let output: @Sendable ([UInt8]) -> Void
  /// Keeps the newest lines for operators, whatever the level is; nil if nobody does.
  let recent: RecentLog?

  /// A sink.
  ///
  /// - Parameters:
  ///   - isJournal: whether systemd's journal reads the lines: each then begins with its level (sd-daemon(3)).
  ///   - level: the least important level that is written.
  ///   - format: how lines are written.
  ///   - recent: keeps the newest lines for operators; nil if nobody does.
  ///   - time: says when a level that is lent is over.
  ///   - output: writes a line at once.
  init(
    isJournal: Bool = false, _ level: Logger.Level = .info, _ format: LogFormat = .text,
    keeping recent: RecentLog? = nil, by time: TimeSource = .system,
    _ output: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.isJournal = isJournal
    levelIndex = Atomic(Self.index(of: level))
    isJSON = Atomic(format == .json)
    self.recent = recent
    self.time = time
    self.output = output
  }

  /// The standard error.
  ///
  /// - Parameters:
  ///   - level: the least important level that is written.
  ///   - format: how lines are written.
  ///   - recent: keeps the newest lines for operators.
  /// - Returns: a sink that writes there.
  static func standardError(_ level: Logger.Level, _ format: LogFormat, keeping recent: RecentLog) -> LogSink {
    LogSink(isJournal: isReadByJournal, level, format, keeping: recent) { line in
      writeToStandardError(line)
    }
  }

  private static let levels = Logger.Level.allCases

  private static func index(of level: Logger.Level) -> Int { levels.firstIndex(of: level) ?? 0 }

  /// The level that was set.
  var ownLevel: Logger.Level { Self.levels[levelIndex.load(ordering: .relaxed)] }

  /// The least important level that is written.
  var level: Logger.Level {
    // The clock is only asked while a level is lent.
    lentNanoseconds == 0 ? ownLevel : min(ownLevel, Self.levels[lentIndex.load(ordering: .relaxed)])
  }

  /// How long the level that is lent still holds, in nanoseconds; 0 if there is none.
  private var lentNanoseconds: UInt64 {
    let until = lentUntil.load(ordering: .acquiring)
    guard until > 0 else { return 0 }
    let now = time.monotonic()
    guard now >= until else { return until - now }
    _ = lentUntil.compareExchange(expected: until, desired: 0, ordering: .relaxed)
    return 0
  }

  /// How long the level that is lent still holds, in seconds, rounded up; nil if there is none.
  var lentSeconds: Int? {
    let nanoseconds = lentNanoseconds
    return nanoseconds == 0 ? nil : Int((nanoseconds + 999_999_999) / 1_000_000_000)
  }

  /// Has more be written for a while, by all loggers, than the level lets through that was set.
  ///
  /// - Parameters:
  ///   - level: the least important level that is written meanwhile.
  ///   - seconds: how long.
  func lend(_ level: Logger.Level, for seconds: Int) {
    lentIndex.store(Self.index(of: level), ordering: .relaxed)
    lentUntil.store(time.monotonic() + UInt64(seconds) * 1_000_000_000, ordering: .releasing)
  }

  /// How lines are written.
  var format: LogFormat { isJSON.load(ordering: .relaxed) ? .json : .text }

  /// Sets both from the next line on, for all loggers; another level than before also ends a loan.
  func set(_ level: Logger.Level, _ format: LogFormat) {
    if level != ownLevel { lentUntil.store(0, ordering: .relaxed) }
    levelIndex.store(Self.index(of: level), ordering: .relaxed)
    isJSON.store(format == .json, ordering: .relaxed)
  }

  /// systemd.exec(5): the variable has the device and the number of the journal's socket.
  private static var isReadByJournal: Bool {
    guard let name = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    return FileIdentity(descriptor: STDERR_FILENO)?.description == name
  }

  /// Writes an entry, and around it how many were left out that were like it.
  func write(_ entry: LogFormat.Entry) {
    let format = format
    let bytes: [UInt8]
    switch limit.withLock({ $0.note(entry) }) {
    case .leaveOut: return
    case .write: bytes = line(of: entry, format)
    case .writeLast:
      let last = entry.with("More lines like the last one are left out for a minute.")
      bytes = line(of: entry, format) + line(of: last, format)
    case .writeAfter(let count):
      bytes = line(of: entry.with("The next line was left out \(count) times."), format) + line(of: entry, format)
    }
    // A pipe takes long lines in parts.
    writing.withLock { _ in output(bytes) }
  }

  private func line(of entry: LogFormat.Entry, _ format: LogFormat) -> [UInt8] {
    let line = format.line(of: entry)
    return isJournal ? Array("<\(entry.level.severity)>".utf8) + line : line
  }
}

extension Logger.Level {
  /// The severity of RFC 5424 §6.2.1.
  fileprivate var severity: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}

extension LogFormat.Entry {
  /// The same with another message, and without metadata.
  fileprivate func with(_ message: String) -> Self {
    LogFormat.Entry(time: time, level: level, label: label, message: message, source: source, metadata: [:])
  }
}

/// Writes a line; what cannot be written has nowhere else to go.
func writeToStandardError(_ line: [UInt8]) {
  var rest = line[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    guard count > 0 || count < 0 && errno == EINTR else { return }
    rest = rest.dropFirst(max(count, 0))
  }
}
