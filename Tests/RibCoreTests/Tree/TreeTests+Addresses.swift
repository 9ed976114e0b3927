import RibCore
import RibTesting
import Testing
import Wire

extension TreeTests {
  @Test(
    arguments: [
      (.path(""), 1), (.path("detail"), 2), (.path("detail[0]"), 2), (.path("detail/inner"), 3),
      (.path("detail[0]/inner[0]"), 3), (.path("aside/inner"), 5), (.id(1), 1), (.id(3), 3), (.id(5), 5),
    ] as [(NodeAddress, Int)])
  func address_findsItsNode(address: NodeAddress, id: Int) throws {
    let session = try makeSession()
    #expect(session.tree.typeName(at: address) == (id == 1 ? "Desk" : "Page"))
    #expect(try session.send(#"{"count":{}}"#, to: address) == ["replace /nodes/\(id)/state/count 1"])
  }

  @Test(arguments: [
    "nowhere", "detail/nowhere", "inner", "detail[1]", "detail[-1]", "detail[x]", "detail[]", "detail[0", "detail]",
    "]", "[0]", "[", "detail[0]x", "detail[99999999999999999999]", "detail/inner/inner", "detail[0][0]",
  ])
  func path_withoutNode_isGone(path: String) throws {
    let session = try makeSession()
    let refusal = try session.refusal(of: #"{"count":{}}"#, to: .path(path))
    #expect(refusal.code == .gone)
    #expect(refusal.message == "There is no node at \"\(path)\".")
    #expect(session.tree.typeName(at: .path(path)) == nil)
  }

  @Test(arguments: [0, 6, -1, Int.max, Int.min])
  func id_withoutNode_isGone(id: Int) throws {
    let session = try makeSession()
    let refusal = try session.refusal(of: #"{"count":{}}"#, to: .id(id))
    #expect(refusal.code == .gone)
    #expect(refusal.message == "There is no node \(id).")
  }

  @Test func id_ofADetachedNode_isGone() throws {
    let session = try makeSession()
    try session.send(#"{"reopen":"a/b"}"#)
    #expect(try session.refusal(of: #"{"count":{}}"#, to: .id(2)).code == .gone)
    #expect(try session.refusal(of: #"{"count":{}}"#, to: .id(3)).code == .gone)
    try session.send(#"{"count":{}}"#, to: .path("detail/inner"))
  }

  /// Desk 1, `detail` 2 with `inner` 3, `aside` 4 with `inner` 5.
  private func makeSession() throws -> TestSession {
    let session = try TestSession(Desk(detail: "a/b"))
    try session.send(#"{"openAside":"c/d"}"#)
    return session
  }
}
