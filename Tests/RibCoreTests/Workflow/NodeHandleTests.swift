import RibCore
import RibTesting
import Testing
import Wire

/// Walks through a tree.
struct NodeHandleTests {
  @Test func walk_goesFromChildToChild() async throws {
    let session = try TestSession(Branch(depth: 2))
    try await session.walk(from: Branch.self) { root in
      #expect(root.id == 1)
      try await root.update { state in
        state.slot.attach(1)
        return .none
      }
      let branch = try await root.child(Branch.self, on: "slot")
      try await branch.update { state in
        state.twigs = [Twig.State(id: 4)]
        return .none
      }
      let twig = try await branch.child(Twig.self, on: "twigs")
      try await twig.update { state in
        state.count = 7
        return .output(.told)
      }
    }
    #expect(try session.snapshot() == session.view)
    #expect(session.tree.typeName(at: .path("slot/twigs")) == "Twig")
    let branch = Int(try #require(try session.ids(on: "slot").first))
    let twig = try #require(try session.ids(on: "twigs", of: branch).first)
    #expect(session.property("count", of: Int(twig)) == .integer(7))
    #expect(session.property("heard", of: branch) == .integer(4))
  }

  @Test func walk_sendsInternalActions() async throws {
    let session = try TestSession(Conductor())
    try await session.walk(from: Conductor.self) { conductor in
      try await conductor.send(.note("a"))
      try await conductor.update { _ in .run(id: "b") { send in await send(.note("b")) } }
    }
    #expect(try session.log() == ["a"])
    try await session.runNextEffect()
    #expect(try session.log() == ["a", "b"])
  }

  @Test func step_isATransactionOfItsOwn() async throws {
    let session = try TestSession(Conductor())
    let before = session.tree.transactionCount
    try await session.walk(from: Conductor.self) { conductor in
      for _ in 1...3 { try await conductor.send(.note("a")) }
    }
    #expect(session.tree.transactionCount == before + 3)
  }

  @Test func step_thatCannotBeCompleted_isRefused() async throws {
    let session = try TestSession(Conductor())
    let before = session.view
    try await session.walk(from: Conductor.self) { conductor in
      let refusal = await #expect(throws: Refusal.self) { try await conductor.send(.fail) }
      #expect(refusal?.code == .failed)
    }
    #expect(try session.snapshot() == before)
  }

  @Test func step_thatTheRibletRefuses_isRefused() async throws {
    let session = try TestSession(Conductor())
    let before = session.view
    try await session.walk(from: Conductor.self) { conductor in
      await #expect(throws: Refusal(.refused, "not that")) {
        // What could not be shown is not looked at any more.
        try await conductor.update { state in
          state.ratio = .nan
          return .merge(.run(id: "a") { _ in }, .refuse("not that"))
        }
      }
    }
    #expect(try session.snapshot() == before)
    #expect(session.pending == [])
  }

  // MARK: Children

  @Test func child_isTheFirstOfItsTypeThatIsActive() async throws {
    let session = try TestSession(Hall())
    try session.send(#"{"select":1}"#)
    try session.send(#""invite""#)
    try await session.walk(from: Hall.self) { hall in
      let first = try await hall.child(Conductor.self)
      let guest = try await hall.child(Conductor.self, on: "guest")
      #expect(first.id == 3)
      #expect(guest.id == 4)
    }
  }

  @Test func child_thatIsNotThere_isWaitedFor() async throws {
    let session = try TestSession(Hall())
    var waits = 0
    try await session.walk(
      from: Hall.self,
      whileWaiting: { session in
        waits += 1
        try session.act(#""invite""#)
      }
    ) { hall in
      let guest = try await hall.child(Conductor.self, on: "guest")
      try await guest.send(.note("here"))
    }
    #expect(waits == 1)
    #expect(try session.log(of: 4) == ["here"])
  }

  @Test func route_thatIsNotThere_isAnError() async throws {
    let session = try TestSession(Hall())
    let error = await #expect(throws: WorkflowError.self) {
      try await session.walk(from: Hall.self) { hall in _ = try await hall.child(Conductor.self, on: "nowhere") }
    }
    #expect(error == .noRoute("nowhere", "Hall"))
    #expect(error?.description == "Hall has no route \"nowhere\" for the walk to go along.")
  }

  @Test func child_inFront_comesFirst() async throws {
    var stack = Stack("a")
    stack.push("b")
    let session = try TestSession(Rack(pages: stack, changes: [:]))
    try await session.walk(from: Rack<Stack<String>>.self) { rack in
      let page = try await rack.child(Page.self, on: "pages")
      #expect(page.id == 3)
    }
  }

  @Test func step_onAnInactiveNode_waitsForIt() async throws {
    let session = try TestSession(Hall())
    var waits = 0
    try await session.walk(
      from: Hall.self,
      whileWaiting: { session in
        waits += 1
        try session.act(#"{"select":0}"#)
      }
    ) { hall in
      let left = try await hall.child(Conductor.self, on: "stages")
      try await hall.update { state in
        state.stages.select(at: 1)
        return .none
      }
      try await left.update { _ in .run(id: "a") { send in await send(.note("a")) } }
    }
    #expect(waits == 1)
    #expect(session.pending == ["a"])
  }

  @Test(arguments: ["stages", "guest"])
  func child_thatDoesNotCome_isNamed(route: String) async throws {
    let session = try TestSession(Hall())
    let error = await #expect(throws: WalkIsStuck.self) {
      try await session.walk(from: Hall.self) { hall in _ = try await hall.child(Branch.self, on: route) }
    }
    #expect(error?.node == 1)
    #expect(error?.typeName == "Branch")
    #expect(error?.description.hasPrefix("The walk waits for an active Branch below node 1,") == true)
  }

  // MARK: Gone

  @Test func walk_throughADetachedNode_isOver() async throws {
    let session = try TestSession(Hall())
    try session.send(#""invite""#)
    try await session.walk(from: Hall.self) { hall in
      let guest = try await hall.child(Conductor.self, on: "guest")
      try await hall.update { state in
        state.guest.replace(with: "another")
        return .none
      }
      let gone = WorkflowError.gone(guest.id)
      await #expect(throws: gone) { try await guest.send(.note("late")) }
      await #expect(throws: gone) { try await guest.update { _ in .none } }
      await #expect(throws: gone) { _ = try await guest.child(Conductor.self) }
      #expect(gone.description.contains("Node \(guest.id) was detached"))
      let other = try await hall.child(Conductor.self, on: "guest")
      #expect(other.id != guest.id)
    }
  }

  @Test func walk_throughANodeThatIsDetachedWhileItWaits_isOver() async throws {
    let session = try TestSession(Hall())
    try session.send(#""invite""#)
    await #expect(throws: WorkflowError.gone(4)) {
      try await session.walk(from: Hall.self, whileWaiting: { try $0.act(#""dismiss""#) }) { hall in
        _ = try await hall.child(Conductor.self, on: "guest").child(Branch.self)
      }
    }
  }
}
