import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct BoundariesTests {
  @Test func scopedChild_isAPartOfTheParentsState() {
    let test = TestRiblet(BoundariesParent())
    test.send(.increment, to: BoundariesChild.self, at: "child")
    test.receiveChange { $0.child.count = 1 }
    test.expectView(.init(total: 1, finished: []))
    test.send(.finish, to: BoundariesChild.self, at: "child")
    test.receive(.child(.finished(1))) { $0.finished = ["child: 1"] }
  }

  @Test func optionalChild_comesAndGoes() {
    let test = TestRiblet(BoundariesParent())
    test.send(.showSheet) { $0.sheet = .init(id: 0) }
    test.send(.showSheet)
    test.send(.increment, to: BoundariesChild.self, at: "sheet")
    test.receiveChange { $0.sheet?.count = 1 }
    test.send(.finish, to: BoundariesChild.self, at: "sheet")
    test.receive(.sheet(.finished(1))) { state in
      state.finished = ["sheet: 1"]
      state.sheet = nil
    }
    #expect(test.session.children(on: "sheet") == [])
  }

  @Test func rows_areToldApart() {
    let test = TestRiblet(BoundariesParent())
    for row in 1...3 {
      test.send(.addRow) { state in
        state.rows.append(.init(id: row))
        state.lastRow = row
      }
    }
    let before = test.session.children(on: "rows")
    test.send(.increment, to: BoundariesChild.self, at: "rows[1]")
    test.receiveChange { $0.rows[1].count = 1 }
    test.send(.finish, to: BoundariesChild.self, at: "rows[1]")
    test.receive(.row(2, .finished(1))) { state in
      state.finished = ["row 2: 1"]
      state.rows.remove(at: 1)
    }
    #expect(test.session.children(on: "rows") == [before[0], before[2]])
  }

  @Test func internalActions_areTheChildsOwn() throws {
    let session = try TestSession(BoundariesParent())
    for action in ["\"incremented\"", #"{"finished":1}"#] {
      let refusal = #expect(throws: Refusal.self) { try session.act(action, at: "child") }
      #expect(refusal?.code == .badAction)
    }
  }

  @Test func child_aloneAssertsItsInternalActions() {
    let test = TestRiblet(BoundariesChild())
    test.send(.increment)
    test.receive(.incremented) { $0.count = 1 }
    test.send(.finish)
    test.expectOutput(.finished(1))
  }
}
