import RibCore
import RibTesting
import Testing
import Wire

struct StackTests {
  // MARK: The value

  @Test func stack_hasAChildFromTheStart() {
    let stack = Stack("a")
    #expect(stack.count == 1)
    #expect(stack.top == "a")
    #expect(stack.front == 0)
  }

  @Test func push_putsAChildInFront() {
    var stack = Stack("a")
    stack.push("b")
    #expect(stack.configs == ["a", "b"])
    #expect(stack.top == "b")
    #expect(stack.front == 1)
  }

  @Test func push_ofAnEqualConfiguration_isAnotherChild() {
    var stack = Stack("a")
    stack.push("a")
    #expect(stack.configs == ["a", "a"])
    #expect(Set(stack.entries.map(\.key)).count == 2)
  }

  @Test func push_afterPop_isANewChild() {
    var stack = makeStack("a", "b")
    let entries = stack.entries
    stack.pop()
    stack.push("b")
    #expect(stack.entries[0] == entries[0])
    #expect(stack.entries[1] != entries[1])
  }

  @Test func pop_leavesTheLastOne() {
    var stack = makeStack("a", "b")
    stack.pop()
    #expect(stack.configs == ["a"])
    stack.pop()
    #expect(stack.configs == ["a"])
  }

  @Test func popToRoot_leavesTheLowest() {
    var stack = makeStack("a", "b", "c")
    let root = stack.entries[0]
    stack.popToRoot()
    #expect(stack.entries == [root])
    stack.popToRoot()
    #expect(stack.entries == [root])
  }

  @Test(
    arguments: [
      ("a", ["a"]), ("b", ["a", "b", "c", "b"]), ("c", ["a", "b", "c"]), ("d", ["a", "b", "c", "b", "d"]),
      ("x", ["a", "b", "c", "b", "d"]),
    ])
  func popTo_leavesTheTopmostOfThem(config: String, expected: [String]) {
    var stack = makeStack("a", "b", "c", "b", "d")
    let entries = stack.entries
    stack.pop(to: config)
    #expect(stack.configs == expected)
    #expect(stack.entries == Array(entries[..<expected.count]))
  }

  @Test func replaceTop_isANewChild() {
    var stack = makeStack("a", "b")
    let entries = stack.entries
    stack.replaceTop(with: "b")
    #expect(stack.configs == ["a", "b"])
    #expect(stack.entries[0] == entries[0])
    #expect(stack.entries[1] != entries[1])
    stack.popToRoot()
    stack.replaceTop(with: "c")
    #expect(stack.configs == ["c"])
  }

  @Test func replaceAll_leavesOneNewChild() {
    var stack = makeStack("a", "b")
    let entries = stack.entries
    stack.replaceAll(with: "a")
    #expect(stack.configs == ["a"])
    #expect(!entries.contains(stack.entries[0]))
  }

  @Test func bringToFront_movesTheTopmostOfThem() {
    var stack = makeStack("a", "b", "a", "c")
    let entries = stack.entries
    stack.bringToFront("a")
    #expect(stack.entries == [entries[0], entries[1], entries[3], entries[2]])
  }

  @Test func bringToFront_ofANewConfiguration_pushesIt() {
    var stack = Stack("a")
    stack.bringToFront("b")
    #expect(stack.configs == ["a", "b"])
  }

  @Test func dismiss_takesAwayWhatIsOnTopToo() {
    var stack = makeStack("a", "b", "c")
    let keys = stack.entries.map(\.key)
    #expect(!dismiss(keys[0], from: &stack))
    #expect(!dismiss(99, from: &stack))
    #expect(stack.configs == ["a", "b", "c"])
    #expect(dismiss(keys[1], from: &stack))
    #expect(stack.configs == ["a"])
    #expect(!dismiss(keys[2], from: &stack))
  }

  @Test func coding_keepsWhichChildrenTheyAre() throws {
    var stack = makeStack("a", "b", "c")
    stack.pop()
    var copy = try coded(stack)
    #expect(copy == stack)
    // Numbers that were given out before are not given out again.
    stack.push("d")
    copy.push("d")
    #expect(copy == stack)
  }

  @Test func coding_ofAnEmptyStack_fails() {
    #expect(throws: DecodingError.self) { try decoded(Stack<String>.self, from: #"{"items":[],"lastKey":3}"#) }
  }

  // MARK: In a tree

  @Test func push_patchesTheEndOfTheRoute() throws {
    let session = try TestSession(makeRack(Stack("a")))
    #expect(session.route("pages") == #"{"ids":[2],"kind":"stack"}"#)
    #expect(try session.send("\"push b\"").last == "add /nodes/1/children/pages/ids/1 3")
    #expect(session.property("name", of: 3) == .string("b"))
  }

  @Test func push_ofAnEqualConfiguration_isAnotherNode() throws {
    let session = try TestSession(makeRack(Stack("b")))
    try session.send("\"push b\"")
    try session.send(#"{"count":{}}"#, to: .path("pages[1]"))
    #expect(try session.ids(on: "pages") == [2, 3])
    #expect([2, 3].map { session.property("count", of: $0) } == [.integer(0), .integer(1)])
  }

  @Test func pop_ofTheLastOne_changesNothing() throws {
    let session = try TestSession(makeRack(Stack("a")))
    #expect(try session.send("\"pop\"") == [])
    #expect(try session.ids(on: "pages") == [2])
  }

  @Test func bringToFront_keepsTheNode() throws {
    let journal = Journal()
    let session = try TestSession(makeRack(makeStack("a", "b", "c"), journal))
    try session.send(#"{"count":{}}"#, to: .path("pages[1]"))
    _ = journal.take()
    try session.send("\"front b\"")
    #expect(try session.ids(on: "pages") == [2, 4, 3])
    #expect(session.property("count", of: 3) == .integer(1))
    #expect(journal.take() == [])
  }

  @Test func replaceTop_detachesTheOldBeforeItAttachesTheNew() throws {
    let journal = Journal()
    let session = try TestSession(makeRack(makeStack("a", "b"), journal))
    _ = journal.take()
    try session.send("\"replace b\"")
    #expect(try session.ids(on: "pages") == [2, 4])
    #expect(journal.take() == ["-b", "+b"])
  }

  private func makeStack(_ root: String, _ others: String...) -> Stack<String> {
    var stack = Stack(root)
    for config in others { stack.push(config) }
    return stack
  }

  private func makeRack(_ stack: Stack<String>, _ journal: Journal = Journal()) -> Rack<Stack<String>> {
    Rack(
      pages: stack, journal: journal,
      changes: [
        "push b": { $0.pages.push("b") }, "pop": { $0.pages.pop() }, "front b": { $0.pages.bringToFront("b") },
        "replace b": { $0.pages.replaceTop(with: "b") },
      ])
  }

  @Test func array_makesAsManyChildren() {
    var stack = Stack(configs: ["a", "b", "a"])
    #expect(stack.configs == ["a", "b", "a"])
    #expect(Set(stack.entries.map(\.key)).count == 3)
    stack.push("c")
    #expect(Set(stack.entries.map(\.key)).count == 4)
    #expect(stack.top == "c")
  }
}
