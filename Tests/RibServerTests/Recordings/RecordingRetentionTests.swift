import Testing

@testable import RibServer

@Suite struct RecordingRetentionTests {
  private static let found: [RecordingRetention.Recording] = [
    .init(name: "c", bytes: 30, written: 300), .init(name: "a", bytes: 10, written: 100),
    .init(name: "d", bytes: 40, written: 400), .init(name: "b", bytes: 20, written: 200),
  ]

  private func surplus(age: Int?, bytes: Int?, sparing: Set<String> = [], at now: Int = 1000) -> String {
    RecordingRetention(age: age, bytes: bytes).surplus(Self.found, sparing: sparing, at: now).map(\.name).joined()
  }

  @Test func tooOld_isRemoved() {
    #expect(surplus(age: 800, bytes: nil) == "a")
    #expect(surplus(age: 799, bytes: nil) == "ab")
    #expect(surplus(age: 800, bytes: nil, at: 900) == "")
  }

  @Test func tooMuch_isRemovedFromTheOldestOn() {
    #expect(surplus(age: nil, bytes: 100) == "")
    #expect(surplus(age: nil, bytes: 99) == "a")
    #expect(surplus(age: nil, bytes: 89) == "ab")
    #expect(surplus(age: nil, bytes: 0) == "abcd")
  }

  /// Old recordings leave room for young ones.
  @Test func both_countTogether() {
    #expect(surplus(age: 700, bytes: 70) == "ab")
    #expect(surplus(age: 700, bytes: 69) == "abc")
  }

  /// A file in use takes room, which others have to give.
  @Test func whatIsBeingWritten_stays() {
    #expect(surplus(age: 1, bytes: nil, sparing: ["a", "c"]) == "bd")
    #expect(surplus(age: nil, bytes: 89, sparing: ["a"]) == "b")
    #expect(surplus(age: nil, bytes: 0, sparing: ["a", "b", "c", "d"]) == "")
  }

  @Test func settings_sayDaysAndMegabytes_andZeroIsForEver() {
    var settings = ServerSettings.Recordings()
    #expect(RecordingRetention(settings) == RecordingRetention(age: 30 * 86_400, bytes: 1 << 30))
    settings.keepDays = 0
    #expect(RecordingRetention(settings) == RecordingRetention(age: nil, bytes: 1 << 30))
    settings.totalMegabytes = 0
    #expect(RecordingRetention(settings) == nil)
  }
}
