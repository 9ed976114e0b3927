import RibCore
import RibTesting
import Testing
import Wire

@testable import Showcase

struct LedgerTests {
  @Test func payment_isWritten_andConfirmed() {
    let test = TestRiblet(Ledger(service: .none))
    test.send(.pay(1)) { state in
      state.count = 1
      state.lastPayment = 1
      state.unpaid = [1]
    }
    test.receive(where: { if case .paid(1) = $0 { true } else { false } }) { state in
      state.unpaid = []
      state.paid = 1
    }
    // Asked for again, it is not paid again.
    test.send(.pay(1)) { $0.count = 2 }
    test.expectView(.init(count: 2, lastPayment: 1, paid: 1))
  }

  @Test func paymentWithoutANumber_isRefused_andNotCounted() {
    let test = TestRiblet(Ledger(service: .none))
    test.send(.pay(0), refused: "There is no payment 0: they are numbered from 1.")
    test.expectView(.init(count: 0, lastPayment: 0, paid: 0))
  }

  @Test func page_countsForItself_andIsGoneWhenItIsClosed() throws {
    let session = try TestSession(Ledger(service: .none))
    try session.act(#""openPage""#)
    try session.act(#""tap""#, at: "page")
    #expect(session.viewState()?["count"] == .integer(2))
    try session.act(#""closePage""#)
    let refusal = #expect(throws: Refusal.self) { try session.act(#""tap""#, at: "page") }
    #expect(refusal?.code == .gone)
  }

  @Test func runAway_isRefused_andLeavesNothing() throws {
    let session = try TestSession(Ledger(service: .none))
    let refusal = #expect(throws: Refusal.self) { try session.act(#""runAway""#) }
    #expect(refusal?.code == .failed)
    #expect(session.viewState()?["count"] == .integer(0))
  }
}
