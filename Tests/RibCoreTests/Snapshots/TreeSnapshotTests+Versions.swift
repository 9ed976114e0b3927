import RibCore
import RibTesting
import Testing
import Wire

/// Snapshots of other versions of the code.
extension TreeSnapshotTests {
  @Test func olderState_isMigrated() throws {
    let session = try savedBank()
    let restored = try TestSession(Bank<SecondEdition>(), restoring: try session.savedSnapshot())
    #expect(restored.restoreReport?.lost == [])
    #expect(try restored.ids(on: "ledger") == session.ids(on: "ledger"))
    #expect(restored.view["nodes"]?["2"]?["state"] == .integer(200))
    #expect(restored.view["nodes"]?["4"] == session.view["nodes"]?["4"])
    // What is saved now is of the new version.
    let snapshot = try restored.savedSnapshot()
    #expect(snapshot.nodes[2]?.version == 2)
    let again = try TestSession(Bank<SecondEdition>(), restoring: snapshot)
    #expect(again.view.text == restored.view.text)
  }

  @Test func olderState_ofARibletThatHasNotWrittenMigrate_isLost() throws {
    let json = String(decoding: try StateCoder.encode(try savedBank().tree.snapshot()), as: UTF8.self)
    let bud = #""type":"Bud","version":"#
    try #require(json.contains("\(bud)1"))
    let snapshot = try StateCoder.decode(
      TreeSnapshot.self, from: try StateCoder.read(json.replacing("\(bud)1", with: "\(bud)0")))
    let restored = try TestSession(Bank<FirstEdition>(), restoring: snapshot)
    #expect(restored.restoreReport?.lost.map(\.id) == [4])
    #expect(restored.restoreReport?.lost.first?.reason.contains("write migrate(_:from:)") == true)
    #expect(try restored.ids(on: "sheet", of: 2) == [5])
    #expect(restored.property("count", of: 5) == .integer(0))
  }

  @Test func lostNode_tellsOfItsEffects() throws {
    let session = try TestSession(Branch(depth: 0))
    try session.send(#"{"run":"payment"}"#)
    let key = try #require(session.pendingEffects.first?.key)
    let restored = try TestSession(Countdown(), restoring: try session.savedSnapshot())
    let effects = try #require(restored.restoreReport?.lost.first { $0.type == "Branch" }).interrupted
    #expect(effects.map(\.id) == ["payment"])
    #expect(effects.map(\.key) == [key])
  }

  @Test func olderState_whoseMigrationFails_isLost() throws {
    let session = try savedBank()
    let restored = try TestSession(Bank<ForgetfulEdition>(), restoring: try session.savedSnapshot())
    let failure = try #require(restored.restoreReport?.lost.first)
    // With it goes what was below it.
    #expect(restored.restoreReport?.lost.map(\.id) == [2, 4])
    #expect(restored.restoreReport?.lost.last?.reason.hasPrefix("the node above was not restored") == true)
    #expect(failure.id == 2)
    #expect(failure.type == "Ledger")
    #expect(failure.reason.contains("NoMigration"))
    try expectNewLedger(in: restored, of: "Ledger")
  }

  @Test func otherType_isBuiltAnew() throws {
    let session = try savedBank()
    let restored = try TestSession(Bank<OtherEdition>(), restoring: try session.savedSnapshot())
    let rebuilt = try #require(restored.restoreReport?.lost)
    #expect(rebuilt.map(\.id) == [2, 3, 4])
    #expect(rebuilt.map(\.type) == ["Ledger", "Wallet of Ledger", "Bud"])
    #expect(rebuilt.first?.reason == "Notebook is in its place now")
    try expectNewLedger(in: restored, of: "Notebook")
    // Its state is the parent's; only its node is another.
    #expect(try restored.ids(on: "wallet").allSatisfy { $0 > 4 })
  }

  @Test func newerState_isNotLoaded() throws {
    let snapshot = try TestSession(Bank<SecondEdition>()).savedSnapshot()
    let tree = Tree(root: Bank<FirstEdition>())
    var events: [TreeEvent] = []
    tree.observer = { events.append($0) }
    let error = #expect(throws: RestoreError.self) { try tree.restore(snapshot, rendering: ViewRenderer()) }
    #expect(error == .newerSnapshot(type: "Ledger", version: 2, known: 1))
    #expect(error?.description.contains("newer program") == true)
    #expect(tree.nodeCount == 0)
    #expect(tree.rootID == 0)
    #expect(events.contains { if case .undone = $0 { true } else { false } })
    #expect(!events.contains { if case .committed = $0 { true } else { false } })
  }

  @Test func newerState_ofAnEmbeddedChild_isNotLoaded() throws {
    let json = String(decoding: try StateCoder.encode(try savedBank().tree.snapshot()), as: UTF8.self)
    let wallet = #""type":"Wallet of Ledger","version":"#
    try #require(json.contains("\(wallet)1"))
    let snapshot = try StateCoder.decode(
      TreeSnapshot.self, from: try StateCoder.read(json.replacing("\(wallet)1", with: "\(wallet)9")))
    #expect(throws: RestoreError.newerSnapshot(type: "Wallet of Ledger", version: 9, known: 1)) {
      try TestSession(Bank<FirstEdition>(), restoring: snapshot)
    }
  }

  /// As the article "The life cycle" tells to do.
  @Test func tabThatANewVersionAdds_isThereOnceTheStateHasIt() throws {
    let old = try TestSession(Binder(titles: ["a", "b"]))
    let new = try old.restored(as: Binder(titles: ["a", "b", "c"]), showsTheSame: false)
    #expect(new.restoreReport?.restored == [1, 2, 3])
    #expect(new.restoreReport?.lost.isEmpty == true)
    #expect(
      new.outline == """
        Binder 1
          tabs[0] Sheet 2
          tabs[1] Sheet 3
          tabs[2] Sheet 4
        """)
    #expect(new.viewState(at: "") == .integer(1))
  }

  @Test func damagedState_isLost() throws {
    let json = String(decoding: try StateCoder.encode(try savedBank().tree.snapshot()), as: UTF8.self)
    let total = #"{\"total\":2"#
    try #require(json.contains(total))
    let snapshot = try StateCoder.decode(
      TreeSnapshot.self, from: try StateCoder.read(json.replacing(total, with: #"{\"total\":\"two\""#)))
    let restored = try TestSession(Bank<FirstEdition>(), restoring: snapshot)
    #expect(restored.restoreReport?.lost.map(\.id) == [2, 4])
    #expect(restored.restoreReport?.lost.first?.reason.contains("total") == true)
    try expectNewLedger(in: restored, of: "Ledger")
  }

  @Test func stateThatIsNotCodable_isBuiltAnew() throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.send(#"{"count":{}}"#)
    let snapshot = try session.savedSnapshot()
    #expect(snapshot.nodes[1]?.state == nil)
    let restored = try TestSession(Desk(detail: "a"), restoring: snapshot)
    #expect(restored.restoreReport?.restored == [])
    #expect(restored.restoreReport?.lost.map(\.id) == [1, 2])
    #expect(restored.restoreReport?.lost.first?.reason == "its state was not Codable")
    #expect(restored.property("count", of: 3) == .integer(0))
    #expect(restored.view["root"] == .integer(3))
    // What of the old tree has no place any more is to be deleted.
    #expect(restored.tree.takeCut().removed == [1, 2])
  }

  @Test func ribletWithoutState_comesBack() throws {
    let snapshot = try TestSession(Sign()).savedSnapshot()
    #expect(snapshot.nodes[1]?.state == nil)
    let restored = try TestSession(Sign(), restoring: snapshot)
    #expect(restored.restoreReport?.restored == [1])
    #expect(restored.restoreReport?.lost == [])
  }

  /// Bank 1 with the ledger 2, which has earned 2, its sheet 4, and the wallet 3.
  private func savedBank() throws -> TestSession {
    let session = try TestSession(Bank<FirstEdition>())
    for _ in 1...2 { try session.send(#""earn""#, to: .path("ledger")) }
    try session.send(#""count""#, to: .path("ledger/sheet"))
    try session.send(#""count""#)
    #expect(try session.ids(on: "ledger") == [2])
    #expect(try session.ids(on: "sheet", of: 2) == [4])
    return session
  }

  /// Checks that the ledger and what is below are new, and the bank is not.
  private func expectNewLedger(in session: TestSession, of type: String) throws {
    #expect(session.view["nodes"]?["1"]?["state"] == .integer(1))
    let ledger = try #require(try session.ids(on: "ledger").first)
    #expect(ledger > 4)
    #expect(session.view["nodes"]?["\(ledger)"]?["type"] == .string(type))
    #expect(session.view["nodes"]?["\(ledger)"]?["state"] == .integer(0))
    let sheet = try #require(try session.ids(on: "sheet", of: Int(ledger)).first)
    #expect(sheet > 4)
    #expect(session.property("count", of: Int(sheet)) == .integer(0))
    #expect(session.tree.takeCut().removed.contains(2))
  }
}

/// Tabs that a version of the program has.
private struct Binder: Riblet {
  static let typeName = "Binder"

  let titles: [String]

  var routes: [Route<Self>] { [Route("tabs", \.self) { _ in Child(Sheet()) }] }

  func makeState() -> Tabs<String> { Tabs(configs: titles, selected: 1) }

  func didRestore(_ tabs: inout Tabs<String>, interrupted: [InterruptedEffect]) -> Effect<Self> {
    tabs = Tabs(configs: titles, selected: min(tabs.index, titles.count - 1))
    return .none
  }

  func view(_ tabs: Tabs<String>) -> Int { tabs.index }
}

private struct Sheet: Riblet {
  static let typeName = "Sheet"

  func makeState() -> Int { 0 }
  func view(_ state: Int) -> Int { state }
}
