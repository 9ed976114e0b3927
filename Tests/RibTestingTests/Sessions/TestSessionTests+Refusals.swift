import RibCore
import RibTesting
import Testing
import Wire

extension TestSessionTests {
  @Test func refusal_isReturned() throws {
    let session = try TestSession(Outbox())
    let refusal = try session.refusal(of: #""sendTapped""#)
    #expect(refusal.code == .refused)
    #expect(refusal.message == "There is nothing to send.")
    #expect(try session.refusal(of: #""pressed""#, at: "button") == refusal)
    #expect(try session.refusal(of: #""pressed""#, at: "buttons").code == .gone)
    #expect(session.tree.transactionCount == 1)
  }

  @Test func refusal_thatDoesNotCome_isSaid() throws {
    let session = try TestSession(Outbox())
    let error = #expect(throws: NotRefused.self) { _ = try session.refusal(of: #"{"write":"Hello"}"#) }
    #expect(error?.description.hasPrefix(#"{"write":"Hello"} was to be refused, and was done:"#) == true)
  }

  @Test func refusalOfWhatARunningEffectSends_isSaid() throws {
    let texts = try failures {
      let session = try TestSession(Outbox(), effects: .running)
      try session.act(#"{"ask":["","yes"]}"#)
      // The effect goes on.
      #expect(session.viewState()?["sent"] == .array([.string("yes")]))
      #expect(session.tree.effectCount == 0)
      try session.act(#""wait""#)
      #expect(session.tree.effectCount == 0)
    }
    #expect(texts.count == 2)
    #expect(
      texts.first?.hasPrefix("What came of the effect \"ask\" of Outbox, started by act({\"ask\":[\"\",\"yes\"]}) at ")
        == true)
    #expect(texts.first?.contains("was refused: Nobody has answered.") == true, "\(texts)")
    #expect(texts.last?.contains("was refused: It is too late.") == true, "\(texts)")
  }

  @Test func refusalOfWhatAHeldEffectSends_isThrownAtItsEnd() async throws {
    let session = try TestSession(Outbox())
    try session.act(#"{"ask":["","yes",""]}"#)
    let refusal = await #expect(throws: Refusal.self) { try await session.runNextEffect() }
    #expect(refusal?.message == "Nobody has answered.")
    #expect(session.viewState()?["sent"] == .array([.string("yes")]))
    #expect(session.tree.effectCount == 0)
  }
}
