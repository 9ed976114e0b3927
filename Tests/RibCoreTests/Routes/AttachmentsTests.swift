import RibCore
import RibTesting
import Testing
import Wire

/// A route with any number of children: which nodes stay, and what the client is told of their order.
struct AttachmentsTests {
  @Test(
    arguments: [
      // from, to, the nodes then, the operations on ids
      ([], [1, 2], [2, 3], ["replace  [2,3]"]),
      ([1, 2], [], [], ["replace  []"]),
      ([1, 2], [1, 2, 3], [2, 3, 4], ["add /2 4"]),
      ([1, 2, 3], [1, 3], [2, 4], ["remove /1"]),
      ([1, 2, 3], [3, 2, 1], [4, 3, 2], ["replace  [4,3,2]"]),
      ([1, 2], [3, 1, 2], [4, 2, 3], ["add /0 4"]),
      ([1, 2], [3, 4], [4, 5], ["replace  [4,5]"]),
      ([1, 2], [1, 2], [2, 3], []),
    ] as [([Int], [Int], [Int64], [String])])
  func reconciliation_keepsTheNodesOfEntriesThatStay(
    from: [Int], to: [Int], nodes: [Int64], operations: [String]
  ) throws {
    let session = try TestSession(Shelf(books: from))
    let patch = try session.send(#"{"arrange":\#(to)}"#)
    #expect(try session.ids(on: "books") == nodes)
    #expect(nodes.map { session.property("number", of: Int($0)) } == to.map { .integer(Int64($0)) })
    let prefix = "/nodes/1/children/books/ids"
    #expect(patch.filter { $0.contains(prefix) }.map { $0.replacing(prefix, with: "") } == operations)
  }

  @Test func reconciliation_leavesTheNodesThatStayAlone() throws {
    let journal = Journal()
    let session = try TestSession(Shelf(books: [1, 2, 3, 4], journal: journal))
    #expect(journal.take() == ["+1", "+2", "+3", "+4"])
    try session.send(#"{"arrange":[4,5,2]}"#)
    #expect(journal.take() == ["-1", "-3", "+5"])
  }

  @Test func path_countsChildrenFromZero() throws {
    let session = try TestSession(Shelf(books: [7, 8, 9]))
    #expect(session.tree.typeName(at: .path("books[2]")) == "Book")
    #expect(session.tree.typeName(at: .path("books[3]")) == nil)
    #expect(try session.send(#"{"open":{}}"#, to: .path("books[1]")) == ["replace /nodes/3/state/isOpen true"])
    #expect(try session.send(#"{"open":{}}"#, to: .path("books")) == ["replace /nodes/2/state/isOpen true"])
  }

  @Test func routeName_isEscapedInPaths() throws {
    let session = try TestSession(Shelf(books: [1], route: "a~b\"c"))
    #expect(
      try session.send(#"{"arrange":[]}"#) == ["remove /nodes/1/children/a~0b\"c/ids/0", "remove /nodes/2"])
  }
}
