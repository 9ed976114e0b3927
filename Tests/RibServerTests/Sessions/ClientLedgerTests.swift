import Testing
import Wire

@testable import RibServer

@Suite struct ClientLedgerTests {
  private static func resume(_ token: String = "secret", client: Int = 1, attempt: Int) -> ClientMessage.Resume {
    ClientMessage.Resume(sessionID: "s", clientID: client, token: token, attempt: attempt, epoch: "e", revision: 1)
  }

  @Test func eachAction_isTakenOnce() {
    var ledger = ClientLedger(id: 1, token: "secret")
    var turns: [ClientLedger.Turn] = []
    for number in [2, 1, 1, 3, 2, 1, 2, 3, 5] { turns.append(ledger.take(number)) }
    #expect(turns == [.gap, .next, .done, .gap, .next, .done, .done, .next, .gap])
    #expect(ledger.number == 3)
  }

  @Test func refusals_areKeptUntilTheyAreHeard() {
    var ledger = ClientLedger(id: 1, token: "secret")
    let nacks = [1, 3, 4].map { Nack(number: $0, code: .badAction, message: "\($0)") }
    for nack in nacks { ledger.refuse(nack) }
    ledger.acknowledge(0)
    #expect(ledger.nacks == nacks)
    ledger.acknowledge(3)
    #expect(ledger.nacks == [nacks[2]])
    ledger.acknowledge(3)
    #expect(ledger.nacks == [nacks[2]])
    ledger.acknowledge(4)
    #expect(ledger.nacks.isEmpty)
  }

  /// Beyond the limit the older half is counted.
  @Test func refusals_areLimited_andCountedBeyond() throws {
    var ledger = ClientLedger(id: 1, token: "secret")
    let nack = { (number: Int) in Nack(number: number, code: .gone, message: String(repeating: "\u{1}", count: 8)) }
    #expect(nack(1).size == 100)
    for number in 1...10 { ledger.refuse(nack(number)) }
    #expect(ledger.forgetRefusals(beyond: 1_000) == nil && ledger.record.omitted == nil)
    ledger.refuse(nack(11))
    #expect(ledger.forgetRefusals(beyond: 1_000) == 6)
    #expect(ledger.nacks.map(\.number) == Array(7...11))
    #expect(ledger.record.omitted == ClientRecord.Omitted(count: 6, last: 6))
    for number in 12...17 { ledger.refuse(nack(number)) }
    #expect(ledger.forgetRefusals(beyond: 1_000) == 12)
    #expect(ledger.record.omitted == ClientRecord.Omitted(count: 12, last: 12))
    // As long as the client has not heard of all of them, there may be any among its actions.
    ledger.acknowledge(11)
    #expect(ledger.record.omitted?.count == 12 && ledger.nacks.count == 5)
    ledger.acknowledge(12)
    #expect(ledger.record.omitted == nil && ledger.nacks.count == 5)
    let stored: [ClientRecord] = try [ClientRecord](
      json: #"[{"id":1,"tokenHash":"","attempt":0,"number":0,"scope":"act"}]"#, numbers: nil)
    #expect(stored.first?.omitted == nil)
  }

  @Test func refusalsOfAllClients_areLimited() {
    var audience = Audience(token: "secret")
    let text = String(repeating: "x", count: 500)
    for client in 1...Audience.limit {
      for number in 1...200 { audience.refuse(Nack(number: number, code: .failed, message: text), of: client) }
      if client < Audience.limit {
        audience.invite("token", .act, at: 0)
        #expect((try? audience.accept("token", as: "t\(client)", at: 1).get()) == client + 1)
      }
      let sum = audience.nacks.reduce(0) { $0 + $1.nack.size }
      #expect(sum <= Audience.nackBytes && sum >= min(client * ClientLedger.nackBytes, Audience.nackBytes) / 3)
    }
    #expect(audience.ids.allSatisfy { audience[$0].ledger.nacks.last?.number == 200 })
    #expect(audience.takeAcknowledged().count == Audience.limit)
  }

  /// While the store fails there is no commit, and what waits for one is limited as well.
  @Test func refusalsThatWaitForACommit_areLimited() {
    var (audience, uncommitted) = (Audience(token: "secret"), Uncommitted())
    for number in 1...2000 {
      let nack = Nack(number: number, code: .failed, message: String(repeating: "x", count: 500))
      if let last = audience.refuse(nack, of: 1) { uncommitted.forgetRefusals(of: 1, upTo: last) }
      uncommitted.nacks.append(SessionCut.Refusal(client: 1, nack: nack))
      #expect(uncommitted.nacks.reduce(0) { $0 + $1.nack.size } <= ClientLedger.nackBytes)
    }
    #expect(uncommitted.nacks.map(\.nack.number) == audience.nacks.map(\.nack.number))
  }

  /// What it repeats of an action may be as long as a message.
  @Test(arguments: [511, 512, 513, 60_000]) func reason_isCut(bytes: Int) {
    let text = String(repeating: "é", count: bytes / 2) + String(repeating: "x", count: bytes % 2)
    let short = ClientLedger.brief(text)
    #expect(short.utf8.count <= 514)
    #expect((short == text) == (bytes <= 512))
    #expect(short.hasPrefix(text.prefix(250)))
  }

  @Test func client_isAdmittedWithItsTokenAndALaterAttempt() {
    var audience = Audience(token: "secret")
    let attempts: [(ClientMessage.Resume, Bye?)] = [
      (Self.resume("Secret", attempt: 1), .denied), (Self.resume("", attempt: 1), .denied),
      (Self.resume("secret ", attempt: 1), .denied), (Self.resume(client: 2, attempt: 1), .denied),
      (Self.resume(attempt: 0), .stale), (Self.resume(attempt: 1), nil), (Self.resume(attempt: 1), .stale),
      (Self.resume(attempt: 7), nil), (Self.resume(attempt: 2), .stale), (Self.resume("x", attempt: 9), .denied),
      (Self.resume(attempt: 8), nil),
    ]
    for (resume, answer) in attempts {
      let bye: Bye? = if case .failure(let ending) = audience.admit(resume) { ending.bye } else { nil }
      #expect(bye == answer, "\(resume)")
    }
  }
}
