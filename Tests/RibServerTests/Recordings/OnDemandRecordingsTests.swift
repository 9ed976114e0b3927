import Foundation
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// The sessions that operators have recorded, and where.
@Suite struct OnDemandRecordingsTests {
  private let directory: TemporaryDirectory
  private let clock = TestClock(Int(Date().timeIntervalSince1970))

  init() throws { directory = try TemporaryDirectory() }

  private func makeRecordings() -> OnDemandRecordings {
    var environment = Environment.system
    environment.time = clock.clock
    var settings = ServerSettings()
    settings.stateDirectory = directory.path
    return OnDemandRecordings(settings, CollectedLog().logger, ServerMetrics(), environment)
  }

  private func isRecorded(_ session: String, by recordings: OnDemandRecordings) -> Bool {
    recordings.makeRecorder(of: SessionIdentity(id: session, app: "app", parameters: nil)) != nil
  }

  @Test func session_isRecorded_forADay() throws {
    let recordings = makeRecordings()
    #expect(!isRecorded("one", by: recordings))
    #expect(try recordings.add("one") == directory.path + "/recordings")
    clock.advance(OnDemandRecordings.lifetime - 1)
    #expect(isRecorded("one", by: recordings) && !isRecorded("two", by: recordings))
    clock.advance(1)
    #expect(!isRecorded("one", by: recordings))
  }

  @Test func sessions_areNotTooMany() throws {
    let recordings = makeRecordings()
    for number in 1...OnDemandRecordings.sessionLimit { _ = try recordings.add("\(number)") }
    // One of these may go on.
    _ = try recordings.add("7")
    let error = #expect(throws: StoreError.self) { try recordings.add("more") }
    #expect(error?.description.contains("100 sessions are recorded") == true)
    #expect(!isRecorded("more", by: recordings))
    clock.advance(OnDemandRecordings.lifetime)
    _ = try recordings.add("more")
    #expect(isRecorded("more", by: recordings))
  }

  /// None removes what another one still writes to.
  @Test func serversWithOneStateDirectory_haveDirectoriesOfTheirOwn() throws {
    let second = makeRecordings()
    do {
      let first = makeRecordings()
      #expect(try first.add("one") == directory.path + "/recordings")
      #expect(try second.add("one") == directory.path + "/recordings-1")
      withExtendedLifetime(first) {}
    }
    #expect(try makeRecordings().add("two") == directory.path + "/recordings")
    #expect(try second.add("two") == directory.path + "/recordings-1")
  }

  /// Also those of servers that ran beside this one, unless they run still.
  @Test func oldRecordingsOfEarlierServers_areRemoved_atTheStart() throws {
    let other = makeRecordings()
    for name in ["recordings", "recordings-1", "recordings-2"] {
      let path = "\(directory.path)/\(name)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      if name == "recordings" {
        #expect(try other.add("one") == path)
        // Behind the folder's first look, which would remove what follows.
        other.flush()
      }
      for (file, age) in [("old", 31), ("young", 29)] {
        try Data("line".utf8).write(to: URL(fileURLWithPath: "\(path)/\(file).jsonl"))
        let date = Date(timeIntervalSince1970: Double(clock.clock.wall() - age * 86_400))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(path)/\(file).jsonl")
      }
    }
    let recordings = makeRecordings()
    recordings.removeLeftovers()
    func names(_ name: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/\(name)").sorted()
    }
    #expect(try names("recordings") == ["old.jsonl", "young.jsonl"])
    #expect(try names("recordings-1") == ["young.jsonl"] && names("recordings-2") == ["young.jsonl"])
    #expect(try recordings.add("two") == directory.path + "/recordings-1")
    withExtendedLifetime(other) {}
  }

  /// A session that never leaves memory is recorded no longer than any other.
  @Test func recording_endsAfterADay_alsoInMemory() throws {
    let recordings = makeRecordings()
    let path = try recordings.add("one") + "/one.jsonl"
    let recorder = try #require(recordings.makeRecorder(of: SessionIdentity(id: "one", app: "app", parameters: nil)))
    func lineCount() throws -> Int {
      recordings.flush()
      return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count
    }
    recorder.note(.restore("{}"))
    #expect(try lineCount() == 2)
    clock.advance(OnDemandRecordings.lifetime - 1)
    recorder.note(.restore("{}"))
    #expect(try lineCount() == 3)
    clock.advance(1)
    recorder.note(.restore("{}"))
    #expect(try lineCount() == 3)
  }

  /// A directory that cannot be locked is not a directory of another server.
  @Test func directoryThatIsAFile_isSaid() throws {
    try Data().write(to: URL(fileURLWithPath: directory.path + "/recordings"))
    #expect(throws: StoreError.self) { try makeRecordings().add("one") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["recordings"])
  }

  @Test func nothingIsMade_ifNothingWasRecorded() throws {
    makeRecordings().removeLeftovers()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }
}
