import RibCore
import RibTesting
import Testing
import Wire

struct ItemsTests {
  // MARK: The value

  @Test func items_haveNumbersOfTheirOwn() {
    var items = Items(["a", "a"])
    let key = items.append("a")
    #expect(items.configs == ["a", "a", "a"])
    #expect(items.keys.last == key)
    #expect(Set(items.keys).count == items.count)
  }

  @Test(arguments: [(0, ["x", "a", "b"]), (1, ["a", "x", "b"]), (2, ["a", "b", "x"])])
  func insert_putsAChildAtItsPlace(index: Int, expected: [String]) {
    var items = Items(["a", "b"])
    let key = items.insert("x", at: index)
    #expect(items.configs == expected)
    #expect(items.keys[index] == key)
  }

  @Test func remove_takesOneAway() {
    var items = Items(["a", "a", "b"])
    let keys = items.keys
    items.remove(keys[1])
    items.remove(99)
    #expect(items.keys == [keys[0], keys[2]])
    // Its number is not given out again.
    let key = items.append("a")
    #expect(!keys.contains(key))
  }

  @Test func removeAll_goesByConfiguration() {
    var items = Items(["a", "b", "a"])
    items.removeAll { $0 == "a" }
    #expect(items.configs == ["b"])
    items.removeAll { $0 == "x" }
    #expect(items.configs == ["b"])
  }

  @Test(
    arguments: [
      (0, ["a", "b", "c"]), (1, ["b", "a", "c"]), (2, ["b", "c", "a"]), (9, ["b", "c", "a"]), (-9, ["a", "b", "c"]),
    ])
  func move_holdsToTheEnds(index: Int, expected: [String]) {
    var items = Items(["a", "b", "c"])
    let keys = items.keys
    items.move(keys[0], to: index)
    #expect(items.configs == expected)
    #expect(items.keys.sorted() == keys)
    items.move(99, to: 0)
    #expect(items.configs == expected)
  }

  @Test func coding_keepsWhichChildrenTheyAre() throws {
    var items = Items(["a", "b"])
    items.remove(items.keys[1])
    var copy = try coded(items)
    #expect(copy == items)
    let keys = (items.append("c"), copy.append("c"))
    #expect(keys.0 == keys.1)
  }

  // MARK: In a tree

  @Test(
    arguments: [
      ("append", [2, 3, 4, 5]), ("insert", [5, 2, 3, 4]), ("remove", [2, 4]), ("remove all b", [2, 4]),
      ("move", [4, 2, 3]),
    ] as [(String, [Int64])])
  func node_thatStays_keepsIdAndState(change: String, ids: [Int64]) throws {
    let journal = Journal()
    let session = try TestSession(makeRack(journal))
    for index in 0...2 {
      for _ in 0...index { try session.send(#"{"count":{}}"#, to: .path("pages[\(index)]")) }
    }
    _ = journal.take()
    try session.send("\"\(change)\"")
    #expect(try session.ids(on: "pages") == ids)
    for id in ids where id < 5 { #expect(session.property("count", of: Int(id)) == .integer(id - 1)) }
    #expect(journal.take() == (ids.count == 2 ? ["-b"] : ids.contains(5) ? ["+x"] : []))
  }

  @Test func route_isAListWithoutSelection() throws {
    #expect(try TestSession(makeRack(Journal())).route("pages") == #"{"ids":[2,3,4],"kind":"list"}"#)
  }

  private func makeRack(_ journal: Journal) -> Rack<Items<String>> {
    Rack(
      pages: Items(["a", "b", "c"]), journal: journal,
      changes: [
        "append": { $0.pages.append("x") }, "insert": { $0.pages.insert("x", at: 0) },
        "remove": { $0.pages.remove($0.pages.keys[1]) },
        "remove all b": { $0.pages.removeAll { $0 == "b" } }, "move": { $0.pages.move($0.pages.keys[2], to: 0) },
      ])
  }
}
