import Foundation
import Metrics
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// Recordings that a folder removes.
@Suite struct RecordingFolderTests {
  private let directory: TemporaryDirectory
  private let log = CollectedLog()
  private let clock = TestClock(Int(Date().timeIntervalSince1970))

  init() throws { directory = try TemporaryDirectory() }

  private func makeFolder(age: Int? = nil, bytes: Int? = nil) -> RecordingFolder {
    var environment = Environment.system
    environment.time = clock.clock
    return RecordingFolder(
      directory.path, keeping: RecordingRetention(age: age, bytes: bytes), log.logger, ServerMetrics(), environment)
  }

  /// Leaves a file of a hundred bytes that was written so many seconds ago.
  private func leave(_ name: String, age: Int) throws {
    let path = "\(directory.path)/\(name)"
    try Data(repeating: 0, count: 100).write(to: URL(fileURLWithPath: path))
    let date = Date(timeIntervalSince1970: Double(clock.clock.wall() - age))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  @Test func start_removesWhatIsTooOld_andSaysSo() throws {
    try leave("old.jsonl", age: 101)
    try leave("young.jsonl", age: 99)
    try leave("old.text", age: 1000)
    try FileManager.default.createDirectory(atPath: "\(directory.path)/old.d.jsonl", withIntermediateDirectories: false)
    let folder = makeFolder(age: 100)
    // Behind the look of the start.
    folder.flush()
    #expect(try names() == ["old.d.jsonl", "old.text", "young.jsonl"])
    #expect(log.texts == ["Old recordings were removed. bytes=100 count=1 directory=\(directory.path)"])
    #expect(folder.removals.label == "ribserver_recordings_removed_total")
  }

  @Test func nothingToRemove_isNotSaid() throws {
    try leave("young.jsonl", age: 1)
    makeFolder(age: 100, bytes: 1000).flush()
    #expect(log.texts.isEmpty)
  }

  /// As much is written as is looked after: the oldest go, but none of a session that is in memory, however old its file is.
  @Test func muchThatIsWritten_removesTheOldest_butNoneInUse() throws {
    for (index, name) in ["a", "b", "c"].enumerated() { try leave("\(name).jsonl", age: 30 - index) }
    let folder = makeFolder(bytes: 1000)
    folder.flush()
    do {
      let used = folder.makeRecorder(of: SessionIdentity(id: "a", app: "app", parameters: nil))
      let (file, line) = (RecordingFile("\(directory.path)/d.jsonl", session: "d"), [UInt8](repeating: 1, count: 800))
      folder.append(line, to: file)
      folder.flush()
      #expect(try names() == ["a.jsonl", "c.jsonl", "d.jsonl"])
      withExtendedLifetime(used) {}
    }
    // Its session has left memory: it is the oldest.
    try leave("e.jsonl", age: 0)
    folder.removeSurplus()
    #expect(try names() == ["c.jsonl", "d.jsonl", "e.jsonl"])
  }
}
