import Testing
import Wire

@testable import RibServer

@Suite struct PatchHistoryTests {
  /// What a client at `revision` gets; nil if it gets no patches.
  private static func missed(
    _ history: inout PatchHistory, after revision: Int, to last: Int, at time: UInt64 = 0
  ) -> [String]? {
    var patches: [String] = []
    let hasAll = history.replay(after: revision, to: last, at: time) { revision, operations in
      patches.append("\(revision):" + operations.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }
    #expect(hasAll || patches.isEmpty)
    return hasAll ? patches : nil
  }

  /// In nanoseconds.
  private static let second: UInt64 = 1_000_000_000

  private static func history(
    revisions: ClosedRange<Int>, bytes: Int = 3, every interval: UInt64 = 1
  ) -> PatchHistory {
    var history = PatchHistory()
    for revision in revisions {
      let text = String(repeating: "x", count: max(0, bytes - 3)) + String(1000 + revision).suffix(3)
      history.append(Array(text.utf8), revision: revision, at: UInt64(revision) * interval, viewSize: .max / 4)
    }
    return history
  }

  @Test(arguments: [(1, ["2:002", "3:003", "4:004"]), (2, ["3:003", "4:004"]), (3, ["4:004"]), (4, [])])
  func client_getsWhatItHasMissed(revision: Int, patches: [String]) {
    var history = Self.history(revisions: 2...4)
    #expect(Self.missed(&history, after: revision, to: 4) == patches)
  }

  @Test(arguments: [0, 5, 100, Int.max]) func clientOfAnotherTime_getsNone(revision: Int) {
    var history = Self.history(revisions: 2...4)
    #expect(Self.missed(&history, after: revision, to: 4) == nil)
    var empty = PatchHistory()
    #expect(Self.missed(&empty, after: revision, to: 4) == nil)
  }

  @Test func clientThatHasMissedNothing_needsNoPatch() {
    var empty = PatchHistory()
    #expect(Self.missed(&empty, after: 4, to: 4) == [])
  }

  @Test(arguments: [(1, 3), (2, 2), (3, 1), (4, 0), (9, 0)])
  func acknowledgedPatches_areForgotten(revision: Int, left: Int) {
    var history = Self.history(revisions: 2...4)
    history.acknowledge(revision)
    #expect(history.count == left)
    #expect(Self.missed(&history, after: 1, to: 4) == (left == 3 ? ["2:002", "3:003", "4:004"] : nil))
    #expect(
      Self.missed(&history, after: max(revision, 1), to: 4)
        == (revision > 4 ? nil : Array(["2:002", "3:003", "4:004"].suffix(left))))
  }

  /// Many times more than the limit, so that what is forgotten is taken out.
  @Test func history_isLimitedInNumber() {
    var history = Self.history(revisions: 2...2000)
    #expect(history.count == PatchHistory.countLimit)
    let first = 2001 - PatchHistory.countLimit
    #expect(Self.missed(&history, after: first - 2, to: 2000) == nil)
    let patches = Self.missed(&history, after: first - 1, to: 2000)
    #expect(patches?.count == PatchHistory.countLimit)
    #expect(patches?.first == "\(first):\(String(1000 + first).suffix(3))" && patches?.last == "2000:000")
  }

  @Test func history_isLimitedInBytes() {
    var history = Self.history(revisions: 2...20, bytes: PatchHistory.byteLimit / 4)
    #expect(history.count == 4)
    #expect(Self.missed(&history, after: 16, to: 20)?.count == 4)
    history.append([UInt8](repeating: 0, count: PatchHistory.byteLimit), revision: 21, at: 21, viewSize: 1 << 20)
    #expect(history.count == 1)
    history.append([UInt8](repeating: 0, count: PatchHistory.byteLimit + 1), revision: 22, at: 22, viewSize: 1 << 20)
    #expect(history.count == 0)
    #expect(Self.missed(&history, after: 20, to: 22) == nil)
  }

  @Test(arguments: [1, 1000, 100_000, 200_000]) func memory_isLimited(bytes: Int) {
    var history = PatchHistory()
    for revision in 2...1000 {
      history.append([UInt8](repeating: 0, count: bytes), revision: revision, at: 0, viewSize: 1 << 20)
      #expect(history.byteCount <= 2 * PatchHistory.byteLimit + bytes)
    }
  }

  /// A client that has missed more than twice the view is better served by the view.
  @Test(arguments: [(0, 2048), (1000, 2048), (5000, 10_000), (1 << 20, PatchHistory.byteLimit)])
  func history_isLimitedByTheView(viewSize: Int, limit: Int) {
    var history = PatchHistory()
    for revision in 2...5000 {
      history.append([UInt8](repeating: 0, count: 100), revision: revision, at: 0, viewSize: viewSize)
      #expect(history.byteCount <= limit + limit / 2 + 100)
    }
    #expect(history.count == min(limit / 100, PatchHistory.countLimit))
  }

  @Test func history_isLimitedInTime() {
    var history = Self.history(revisions: 2...4, every: Self.second)
    let limit = UInt64(PatchHistory.timeLimit) * Self.second
    #expect(Self.missed(&history, after: 1, to: 4, at: limit + 2 * Self.second)?.count == 3)
    #expect(Self.missed(&history, after: 1, to: 4, at: limit + 3 * Self.second) == nil)
    #expect(Self.missed(&history, after: 2, to: 4, at: limit + 3 * Self.second)?.count == 2)
    history.append([], revision: 5, at: limit + 100 * Self.second, viewSize: 0)
    #expect(history.count == 1)
  }
}
