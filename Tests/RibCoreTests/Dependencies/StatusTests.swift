import RibCore
import Testing
import Wire

struct StatusTests {
  @Test func value_isThereOnceLoaded() {
    #expect(Status<Int>.idle.value == nil)
    #expect(Status<Int>.loading.value == nil)
    #expect(Status.loaded(3).value == 3)
    #expect(Status<Int>.failed("no").value == nil)
    #expect(Status<Int>.loading.isLoading)
    #expect(!Status<Int>.idle.isLoading)
    #expect(!Status.loaded(3).isLoading)
  }

  @Test func map_changesTheValueOnly() {
    #expect(Status.loaded(3).map { "\($0)" } == .loaded("3"))
    #expect(Status<Int>.idle.map { "\($0)" } == .idle)
    #expect(Status<Int>.loading.map { "\($0)" } == .loading)
    #expect(Status<Int>.failed("no").map { "\($0)" } == .failed("no"))
  }

  @Test func map_throwsWhatItsTransformThrows() {
    struct Odd: Error {}
    func half(_ value: Int) throws(Odd) -> Int {
      guard value % 2 == 0 else { throw Odd() }
      return value / 2
    }
    #expect(throws: Odd.self) { try Status.loaded(3).map(half) }
    #expect(throws: Never.self) { try Status.failed("no").map(half) }
  }

  @Test(
    arguments: [
      (.idle, #"{"idle":{}}"#), (.loading, #"{"loading":{}}"#), (.loaded([1, 2]), #"{"loaded":{"_0":[1,2]}}"#),
      (.failed("no"), #"{"failed":{"_0":"no"}}"#),
    ] as [(Status<[Int]>, String)])
  func status_comesBackFromJSON(status: Status<[Int]>, text: String) throws {
    #expect(String(decoding: try StateCoder.encode(status), as: UTF8.self) == text)
    #expect(try StateCoder.decode(Status<[Int]>.self, from: try StateCoder.read(text)) == status)
  }
}
