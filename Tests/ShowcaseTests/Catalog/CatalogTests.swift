import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct CatalogTests {
  private let session: TestSession

  init() throws { session = try TestSession(Catalog()) }

  /// Acts, and checks that the view is what a new client would be sent.
  private func act(_ action: String) throws -> [PatchOperation] {
    try session.act(action)
    #expect(try session.snapshot() == session.view)
    return session.lastPatch
  }

  private func row(_ index: Int) -> JSONValue? {
    guard case .array(let rows)? = session.viewState()?["rows"], rows.indices.contains(index) else { return nil }
    return rows[index]
  }

  @Test func toggle_isOneOperation() throws {
    let patch = try act(#"{"toggle":{"id":5001}}"#)
    #expect(patch == [.replace(JSONPointer(["nodes", "1", "state", "rows", "5000", "isDone"]), .bool(true))])
  }

  @Test(arguments: [0, 5000, 10_000, -3, 99_999])
  func insert_isOneOperation(index: Int) throws {
    let patch = try act(#"{"insert":{"at":\#(index)}}"#)
    let place = min(max(index, 0), 10_000)
    #expect(patch.count == 1)
    #expect(row(place)?["id"] == .integer(10_001))
  }

  @Test func remove_isOneOperation() throws {
    let patch = try act(#"{"remove":{"id":1}}"#)
    #expect(patch == [.remove(JSONPointer(["nodes", "1", "state", "rows", "0"]))])
    #expect(row(0)?["id"] == .integer(2))
  }

  @Test func restore_putsBackWhatWasRemovedLast_once() throws {
    #expect(try act(#"{"restore":{"id":7}}"#) == [])
    _ = try act(#"{"toggle":{"id":7}}"#)
    _ = try act(#"{"remove":{"id":1}}"#)
    _ = try act(#"{"remove":{"id":7}}"#)
    #expect(try act(#"{"restore":{"id":1}}"#) == [])
    #expect(try act(#"{"restore":{"id":7}}"#).count == 1)
    #expect(row(5)?["id"] == .integer(7))
    #expect(row(5)?["isDone"] == .bool(true))
    #expect(try act(#"{"restore":{"id":7}}"#) == [])
  }

  @Test func move_isOneOperation() throws {
    let patch = try act(#"{"move":{"id":1,"to":9999}}"#)
    let rows = ["nodes", "1", "state", "rows"]
    #expect(patch == [.move(from: JSONPointer(rows + ["0"]), to: JSONPointer(rows + ["9999"]))])
    #expect(row(9999)?["title"] == .string("Row 00001"))
  }

  @Test func sort_turnsRoundWhatIsSorted() throws {
    _ = try act("\"sort\"")
    #expect(row(0)?["id"] == .integer(10_000))
    _ = try act("\"sort\"")
    #expect(row(0)?["id"] == .integer(1))
  }

  @Test(arguments: [#"{"toggle":{"id":0}}"#, #"{"remove":{"id":-1}}"#, #"{"move":{"id":10001,"to":0}}"#])
  func rowThatIsNotThere_isNothing(action: String) throws {
    #expect(try act(action) == [])
  }

  @Test func catalog_isOnlySoLong() {
    let test = TestRiblet(Catalog(count: Catalog.limit))
    test.send(.insert(at: 0))
  }

  @Test func session_isRestored() throws {
    _ = try act(#"{"move":{"id":1,"to":9999}}"#)
    #expect(try session.restored(as: Catalog()).view == session.view)
  }
}
