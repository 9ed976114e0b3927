import Logging
import RibServer
import Synchronization
import Testing

@testable import RibDaemon

@Suite struct DaemonLogHandlerTests {
  private final class Lines: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ bytes: [UInt8]) { all.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
  }

  @Test func lines_haveTheMetadataOfAllSources_theNearestFirst() {
    let lines = Lines()
    let sink = LogSink { lines.add($0) }
    var logger = Logger(label: "ribd") { DaemonLogHandler($0, to: sink) }
    logger[metadataKey: "session"] = "1"
    logger[metadataKey: "app"] = "shop"
    logger.notice("One.", metadata: ["app": "cart"])
    logger.debug("Two.")
    #expect(lines.lines.count == 1)
    #expect(lines.lines.first?.hasSuffix(" notice ribd: One. app=cart session=1\n") == true)
  }

  /// Also for loggers that were made before, but for one that was given a level of its own.
  @Test func levelAndFormat_areSetForAllLoggers() {
    let lines = Lines()
    let sink = LogSink { lines.add($0) }
    let logger = Logger(label: "ribd") { DaemonLogHandler($0, to: sink) }
    var own = logger
    own.logLevel = .error
    logger.debug("One.")
    sink.set(.debug, .json)
    logger.debug("Two.")
    own.warning("Three.")
    sink.set(.error, .text)
    logger.warning("Four.")
    logger.error("Five.")
    #expect(lines.lines.count == 2)
    #expect(lines.lines.first?.hasPrefix("{") == true && lines.lines.first?.contains("Two.") == true)
    #expect(lines.lines.last?.hasSuffix(" error ribd: Five.\n") == true)
  }

  /// The level that was set holds again afterwards; another one that is set meanwhile holds at once.
  @Test func level_isLentForAWhile() {
    let lines = Lines()
    let now = Mutex<UInt64>(5)
    let sink = LogSink(by: TimeSource(monotonic: { now.withLock { $0 } }, wall: { 0 })) { lines.add($0) }
    let logger = Logger(label: "ribd") { DaemonLogHandler($0, to: sink) }
    #expect(sink.lentSeconds == nil)
    sink.lend(.debug, for: 600)
    #expect(sink.lentSeconds == 600)
    logger.debug("One.")
    sink.set(.info, .text)
    now.withLock { $0 = 599_000_000_006 }
    #expect(sink.lentSeconds == 1)
    logger.debug("Two.")
    now.withLock { $0 = 600_000_000_005 }
    logger.debug("Three.")
    #expect(sink.lentSeconds == nil && sink.level == .info)
    // Never less than what was set.
    sink.lend(.critical, for: 600)
    logger.info("Four.")
    sink.lend(.debug, for: 600)
    sink.set(.warning, .text)
    logger.notice("Five.")
    #expect(sink.lentSeconds == nil && sink.level == .warning)
    #expect(
      lines.lines.map { String($0.dropFirst(25).dropLast()) } == [
        "debug ribd: One.", "debug ribd: Two.", "info ribd: Four.",
      ])
  }

  /// Lines about one person belong together, and do not say who the person is, unless they may.
  @Test func person_isMarked() {
    let lines = Lines()
    let sink = LogSink { lines.add($0) }
    let mark = SubjectMark()
    for marking in [mark, nil] {
      let logger = Logger(label: "ribd") { DaemonLogHandler($0, to: sink, marking: marking) }
      logger.notice("A person was signed out.", metadata: ["subject": "ada", "session": "1"])
    }
    #expect(lines.lines.first?.hasSuffix("A person was signed out. session=1 subject=\(mark("ada"))\n") == true)
    #expect(lines.lines.last?.hasSuffix("A person was signed out. session=1 subject=ada\n") == true)
  }

  /// sd-daemon(3).
  @Test func journal_isToldTheLevel() {
    let lines = Lines()
    let sink = LogSink(isJournal: true, .info, .json) { lines.add($0) }
    let logger = Logger(label: "ribd") { DaemonLogHandler($0, to: sink) }
    logger.error("One.")
    logger.critical("Two.")
    #expect(lines.lines.map { $0.prefix(4) } == ["<3>{", "<2>{"])
  }

  @Test func linesThatWereLeftOut_areCounted() {
    let lines = Lines()
    let sink = LogSink { lines.add($0) }
    let entry = { (time: Int64) in
      LogFormat.Entry(time: time, level: .notice, label: "ribd", message: "Again.", metadata: [:])
    }
    for time in 0..<100 { sink.write(entry(Int64(time))) }
    let messages = { lines.lines.joined().split(separator: "\n").map { String($0.dropFirst(25)) } }
    #expect(
      messages()
        == Array(repeating: "notice ribd: Again.", count: RepeatLimit.countLimit)
        + ["notice ribd: More lines like the last one are left out for a minute."])
    sink.write(entry(RepeatLimit.minute))
    #expect(messages().suffix(2) == ["notice ribd: The next line was left out 40 times.", "notice ribd: Again."])
  }
}
