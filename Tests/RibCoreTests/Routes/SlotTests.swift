import RibCore
import RibTesting
import Testing
import Wire

struct SlotTests {
  // MARK: The value

  @Test func slot_isEmptyUnlessFilled() {
    #expect(Slot<Int>().config == nil)
    #expect(Slot<Int>().entries == [])
    #expect(Slot(7).config == 7)
    #expect(Slot(7).entries.map(\.config) == [7])
  }

  @Test func attach_keepsWhatIsThere() {
    var slot = Slot("a")
    slot.attach("b")
    #expect(slot == Slot("a"))
  }

  @Test func replace_isANewChild() {
    var slot = Slot("a")
    slot.replace(with: "a")
    #expect(slot.config == "a")
    #expect(slot.entries != Slot("a").entries)
  }

  @Test func attach_afterDetach_isANewChild() {
    var slot = Slot("a")
    slot.detach()
    #expect(slot.entries == [])
    slot.attach("a")
    #expect(slot.config == "a")
    #expect(slot.entries != Slot("a").entries)
  }

  @Test func coding_keepsWhichChildItIs() throws {
    var slot = Slot("a")
    slot.replace(with: "b")
    #expect(try coded(slot) == slot)
    slot.detach()
    #expect(try coded(slot) == slot)
  }

  @Test func dismiss_knowsWhichChildItIs() {
    var slot = Slot("a")
    let key = slot.entries[0].key
    slot.replace(with: "a")
    #expect(!dismiss(key, from: &slot))
    #expect(slot.config == "a")
    #expect(dismiss(slot.entries[0].key, from: &slot))
    #expect(slot.config == nil)
    #expect(!dismiss(key, from: &slot))
  }

  // MARK: In a tree

  @Test func attach_patchesTheNodeBeforeTheRoute() throws {
    let session = try TestSession(Desk())
    #expect(
      try session.send(#"{"open":"a/b"}"#) == [
        add(2, "a", inner: [3]), add(3, "b", inner: []), "add /nodes/1/children/detail/ids/0 2",
      ])
  }

  @Test func detach_patchesTheRouteBeforeTheNodes() throws {
    let session = try TestSession(Desk(detail: "a/b"))
    #expect(
      try session.send(#"{"close":{}}"#) == [
        "remove /nodes/1/children/detail/ids/0", "remove /nodes/2", "remove /nodes/3",
      ])
  }

  @Test func replace_patchesTheRouteBetweenTheNodes() throws {
    let session = try TestSession(Desk(detail: "a/b"))
    #expect(
      try session.send(#"{"replace":"c"}"#) == [
        add(4, "c", inner: []), "replace /nodes/1/children/detail/ids/0 4", "remove /nodes/2", "remove /nodes/3",
      ])
  }

  @Test func attach_toAFullSlot_changesNothing() throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.send(#"{"count":{}}"#, to: .path("detail"))
    #expect(try session.send(#"{"open":"b"}"#) == [])
    #expect(try session.ids(on: "detail") == [2])
    #expect(session.property("name", of: 2) == .string("a"))
    #expect(session.property("count", of: 2) == .integer(1))
  }

  @Test(arguments: ["replace", "reopen"])
  func replacement_withAnEqualConfiguration_isANewNode(action: String) throws {
    let journal = Journal()
    let session = try TestSession(Desk(detail: "a", journal: journal))
    try session.send(#"{"count":{}}"#, to: .path("detail"))
    _ = journal.take()
    try session.send(#"{"\#(action)":"a"}"#)
    #expect(try session.ids(on: "detail") == [3])
    #expect(session.property("count", of: 3) == .integer(0))
    #expect(journal.take() == ["-a", "+a"])
  }

  @Test func ids_areNeverReused() throws {
    let session = try TestSession(Desk())
    for id in Int64(2)...5 {
      try session.send(#"{"open":"a"}"#)
      #expect(try session.ids(on: "detail") == [id])
      try session.send(#"{"close":{}}"#)
      #expect(try session.ids(on: "detail") == [])
    }
  }

  @Test func slots_ofOneRiblet_areIndependent() throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.send(#"{"openAside":"b"}"#)
    try session.send(#"{"close":{}}"#)
    #expect(try session.ids(on: "detail") == [])
    #expect(try session.ids(on: "aside") == [3])
  }

  private func add(_ id: NodeID, _ name: String, inner: [Int]) -> String {
    let children = #""children":{"inner":{"ids":\#(inner),"kind":"slot"}}"#
    let state = #""state":{"count":0,"heard":"","loads":0,"name":"\#(name)"}"#
    return "add /nodes/\(id) {\(children),\(state),\"type\":\"Page\"}"
  }

  @Test func slot_withoutConfiguration_needsNoWords() {
    var slot = Slot<NoConfig>()
    slot.attach()
    let first = slot
    slot.attach()
    #expect(slot == first)
    slot.replace(with: NoConfig())
    #expect(slot != first && slot.config == NoConfig())
  }
}
