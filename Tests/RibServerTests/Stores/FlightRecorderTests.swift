import Foundation
import Testing

@testable import RibServer

@Suite struct FlightRecorderTests {
  private let directory: TemporaryDirectory
  private static let session = "0123456789abcdef0123456789abcdef"

  init() throws { directory = try TemporaryDirectory() }

  private func open(slots: Int = 2) throws -> (FlightRecorder, [FlightEntry]) {
    var found: [FlightEntry] = []
    let recorder = try FlightRecorder.open(in: directory.path, slotCount: slots) { found = $0.crashes }
    return (recorder, found)
  }

  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0 != "flight-lock" }.sorted()
    }
  }

  @Test func whatHasBegunAndNotEnded_isFoundByTheNext() throws {
    do {
      let (recorder, left) = try open(slots: 3)
      #expect(left.isEmpty)
      recorder.slot(0).begin(Self.session, client: 1, number: 2)
      recorder.slot(0).end()
      recorder.slot(1).begin(Self.session, client: 3, number: 1)
      recorder.slot(1).begin(Self.session, client: 64, number: 9_007_199_254_740_991)
      recorder.slot(2).begin(String(Self.session.reversed()), client: 0, number: 0)
    }
    // Fewer loops than before: all that was noted is found nevertheless.
    let (_, left) = try open(slots: 1)
    #expect(
      left == [
        FlightEntry(sessionID: Self.session, client: 64, number: 9_007_199_254_740_991),
        FlightEntry(sessionID: String(Self.session.reversed()), client: 0, number: 0),
      ])
    // It was told once.
    let (_, again) = try open()
    #expect(again.isEmpty)
  }

  /// A watchdog on another thread sees what runs, and whether more has begun since.
  @Test func watchdog_seesWhatRuns() throws {
    let recorder = FlightRecorder(slotCount: 2)
    let slot = recorder.slot(1)
    #expect(slot.running == nil && slot.beginCount == 0)
    slot.begin(Self.session, client: 3, number: 7)
    let action = FlightEntry(sessionID: Self.session, client: 3, number: 7)
    #expect(slot.running == .session(action) && slot.beginCount == 1)
    slot.end()
    #expect(slot.running == nil && slot.beginCount == 1)
    slot.begin(.description, of: "counter")
    #expect(slot.running == .app(AppFlight(app: "counter", work: .description)))
    slot.begin(Self.session, client: 0, number: 0)
    #expect(slot.beginCount == 3 && recorder.slot(0).beginCount == 0)
  }

  /// What belongs to no session is found by its app's name, however long that is.
  @Test func whatWasBegunForAnApp_isFoundByTheNext() throws {
    var start = StoreStart()
    let name = String(repeating: "é", count: 30)
    do {
      let (recorder, _) = try open(slots: 3)
      recorder.slot(0).begin(.start, of: "counter")
      recorder.slot(1).begin(.walk, of: name)
      recorder.slot(2).begin(.description, of: "tabs")
      recorder.slot(2).end()
    }
    let recorder = try FlightRecorder.open(in: directory.path, slotCount: 1) { start = $0 }
    #expect(start.crashes.isEmpty)
    #expect(
      start.appCrashes == [
        AppFlight(app: "counter", work: .start), AppFlight(app: String(name.prefix(16)), work: .walk),
      ])
    withExtendedLifetime(recorder) {}
  }

  /// What a process that runs has noted is its own; each has a file.
  @Test func whatARunningProcessHasNoted_isNotFound() throws {
    let (first, _) = try open()
    first.slot(0).begin(Self.session, client: 1, number: 1)
    let (second, left) = try open()
    #expect(left.isEmpty)
    #expect(try files == ["flight-0", "flight-1"])
    second.slot(1).begin(Self.session, client: 1, number: 2)
    withExtendedLifetime((first, second)) {}
  }

  /// Those of all that have died are found by one, and no second file is made then.
  @Test func whatSeveralHaveLeft_isFoundAtOnce() throws {
    do {
      let (first, _) = try open()
      let (second, _) = try open()
      first.slot(0).begin(Self.session, client: 1, number: 1)
      second.slot(1).begin(Self.session, client: 1, number: 2)
    }
    let (own, left) = try open()
    #expect(left.map(\.number) == [1, 2])
    let (other, again) = try open()
    #expect(again.isEmpty)
    #expect(try files == ["flight-0", "flight-1"])
    withExtendedLifetime((own, other)) {}
  }

  /// What could not be stored, as the disk was full, is found by the next start.
  @Test func whatCouldNotBeStored_isFoundAgain() throws {
    do {
      let (first, _) = try open()
      let (second, _) = try open()
      first.slot(0).begin(Self.session, client: 1, number: 1)
      second.slot(1).begin(Self.session, client: 1, number: 2)
    }
    for _ in 1...2 {
      var found: [FlightEntry] = []
      let error = #expect(throws: StoreError.self) {
        _ = try FlightRecorder.open(in: directory.path, slotCount: 1) { start throws in
          found = start.crashes
          throw StoreError("The disk is full.")
        }
      }
      #expect(error == StoreError("The disk is full."))
      #expect(found.map(\.number) == [1, 2])
    }
    #expect(try open().1.map(\.number) == [1, 2])
    #expect(try open().1.isEmpty)
  }

  /// A process that starts knows which others run, and none starts meanwhile.
  @Test func start_knowsTheOthers() throws {
    let (first, _) = try open()
    var start = StoreStart()
    let second = try FlightRecorder.open(in: directory.path, slotCount: 1) { start = $0 }
    #expect(start.number == 1 && start.others == [0] && !start.isRestored)
    #expect(second.number == 1 && second.others == [0])
    withExtendedLifetime((first, second)) {}
  }

  /// The mark of a process is there for the next one, whatever else was noted.
  @Test func process_isKnownToTheNext() throws {
    for id in [7, 8] {
      var start = StoreStart()
      let recorder = try FlightRecorder.open(in: directory.path, slotCount: id) { start = $0 }
      #expect(start.predecessors == (id == 7 ? [] : [7]))
      recorder.note(process: id)
      recorder.slot(id - 1).begin(Self.session, client: 1, number: 1)
      // Of one that runs nothing is said.
      #expect(recorder.slot(0).running == nil)
    }
    let (_, left) = try open()
    #expect(left == [FlightEntry(sessionID: Self.session, client: 1, number: 1)])
  }

  /// A hole in the file would be filled when user code runs, and kill the process if the disk is full then.
  @Test func file_hasItsPlaceOnTheDisk() throws {
    let (recorder, _) = try open(slots: 100)
    var status = stat()
    #expect(stat("\(directory.path)/flight-0", &status) == 0)
    #expect(status.st_size == 6464 && status.st_blocks > 0)
    withExtendedLifetime(recorder) {}
  }

  @Test(arguments: [0, 1, 63, 64, 65, 1000]) func damagedFile_isNoTrap(bytes: Int) throws {
    let damaged = [UInt8](repeating: 1, count: bytes)
    try Data(damaged).write(to: URL(fileURLWithPath: "\(directory.path)/flight-0"))
    let (_, left) = try open()
    // A state that is not 1 is none.
    #expect(left.isEmpty)
  }

  @Test func directoryThatIsNotThere_isAnError() throws {
    let error = #expect(throws: SystemError.self) {
      try FlightRecorder.open(in: "\(directory.path)/none", slotCount: 1) { _ in }
    }
    #expect(error?.code == ENOENT)
  }
}
