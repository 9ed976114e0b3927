import Testing

@testable import RibCore

@Suite("What a store has of a state")
struct StateLogTests {
  private let large = Array(repeating: UInt8(ascii: "1"), count: StateCut.smallSize + 1)
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func written() -> StateLog {
    var log = StateLog()
    log.rewrite(large)
    _ = log.takeCut()
    return log
  }

  @Test func newState_isWrittenWhole() {
    var log = StateLog()
    #expect(!log.isWritten && log.needsWhole)
    log.rewrite(large)
    #expect(log.isWritten && !log.needsWhole && log.sizeBound == large.count)
    #expect(log.takeCut() == .rewritten(base: large, changes: []))
    #expect(log.takeCut() == .unchanged)
  }

  @Test func smallState_isAlwaysWrittenWhole() {
    var log = StateLog()
    log.rewrite(bytes("1"))
    _ = log.takeCut()
    #expect(log.isWritten && log.needsWhole)
  }

  @Test func smallState_takesThePlaceOfTheOneBefore() {
    var log = StateLog()
    log.rewrite(bytes("1"))
    log.rewrite(bytes("2"))
    #expect(log.takeCut() == .rewritten(base: bytes("2"), changes: []))
    log.rewrite(bytes("3"))
    log.rewrite(bytes("4"))
    #expect(log.takeCut() == .replaced(bytes("4")))
    log.rewrite(bytes("5"))
    log.rewrite(large)
    #expect(log.takeCut() == .rewritten(base: large, changes: []))
    log.rewrite(bytes("6"))
    #expect(log.takeCut() == .rewritten(base: bytes("6"), changes: []))
    log.rewrite(bytes("7"))
    #expect(log.takeCut() == .replaced(bytes("7")))
  }

  /// The changes that a store has of a state that has become small are to go.
  @Test(arguments: [(0, true), (3, false)]) func smallStateOfAStore_isReplacedIfItHasNoChanges(
    last: Int, isReplaced: Bool
  ) {
    var log = StateLog(storedSize: 10, changes: StoredChanges(last: last, size: 0))
    log.rewrite(bytes("1"))
    #expect(log.takeCut() == (isReplaced ? .replaced(bytes("1")) : .rewritten(base: bytes("1"), changes: [])))
  }

  @Test func operations_areOneChangeACut() {
    var log = written()
    log.append(bytes("[1"))
    log.append(bytes("[2"))
    #expect(log.takeCut() == .changed([StatePatch(sequence: 1, operations: bytes("[1,2]"))]))
    #expect(log.takeCut() == .unchanged)
    log.append(bytes("[3"))
    #expect(log.takeCut() == .changed([StatePatch(sequence: 2, operations: bytes("[3]"))]))
    #expect(log.sizeBound == large.count + 6)
  }

  @Test func operationsAfterABase_areCutWithIt() {
    var log = written()
    log.append(bytes("[1"))
    log.rewrite(large)
    log.append(bytes("[2"))
    log.append(bytes("[3"))
    #expect(
      log.takeCut() == .rewritten(base: large, changes: [StatePatch(sequence: 1, operations: bytes("[2,3]"))]))
    log.append(bytes("[4"))
    #expect(log.takeCut() == .changed([StatePatch(sequence: 2, operations: bytes("[4]"))]))
  }

  /// A store that has a new base has none of the changes before it.
  @Test func changesOfANewBase_areCountedAnew() {
    var log = written()
    log.append(bytes("[1"))
    #expect(log.takeCut() == .changed([StatePatch(sequence: 1, operations: bytes("[1]"))]))
    log.rewrite(large)
    #expect(log.takeCut() == .rewritten(base: large, changes: []))
    log.append(bytes("[2"))
    #expect(log.takeCut() == .changed([StatePatch(sequence: 1, operations: bytes("[2]"))]))
  }

  @Test func changes_mayHaveAsManyBytesAsTheirBase() {
    var log = written()
    #expect(log.takes(large.count) && !log.takes(large.count + 1))
    log.append(bytes("[1"))
    #expect(log.takes(large.count - 2) && !log.takes(large.count - 1))
    log.rewrite(large)
    #expect(log.takes(large.count))
  }

  @Test func storedState_goesOnFromItsLastChange() {
    var log = StateLog(storedSize: 1000, changes: StoredChanges(last: 7, size: 900))
    #expect(log.isWritten && log.takes(100) && !log.takes(101))
    #expect(log.takeCut() == .unchanged)
    log.append(bytes("[1"))
    #expect(log.takeCut() == .changed([StatePatch(sequence: 8, operations: bytes("[1]"))]))
  }

  // MARK: Cuts that are put together

  @Test func cuts_arePutTogether() {
    let one = StatePatch(sequence: 1, operations: [])
    let two = StatePatch(sequence: 2, operations: [])
    let whole = StateCut.rewritten(base: large, changes: [])
    let table: [(StateCut, StateCut, StateCut)] = [
      (.none, .none, .none), (.none, .unchanged, .none), (.unchanged, .unchanged, .unchanged),
      (.unchanged, .changed([one]), .changed([one])), (.changed([one]), .unchanged, .changed([one])),
      (.changed([one]), .changed([two]), .changed([one, two])), (.changed([one]), whole, whole),
      (whole, .unchanged, whole), (whole, .changed([one]), .rewritten(base: large, changes: [one])),
      (.rewritten(base: [], changes: [one]), .changed([two]), .rewritten(base: [], changes: [one, two])),
      (.unchanged, .replaced([1]), .replaced([1])), (.replaced([1]), .unchanged, .replaced([1])),
      (.replaced([1]), .replaced([2]), .replaced([2])), (.replaced([1]), whole, whole),
      (whole, .replaced([2]), .rewritten(base: [2], changes: [])),
      (.changed([one]), .replaced([2]), .rewritten(base: [2], changes: [])),
      (.none, .replaced([2]), .rewritten(base: [2], changes: [])),
      (.replaced([1]), .changed([one]), .rewritten(base: [1], changes: [one])),
    ]
    for (earlier, later, both) in table {
      var cut = earlier
      cut.append(later)
      #expect(cut == both)
    }
  }
}
