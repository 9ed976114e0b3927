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
    for nack in nacks {
      let hasRoom = ledger.refuse(nack)
      #expect(hasRoom)
    }
    ledger.acknowledge(0)
    #expect(ledger.nacks == nacks)
    ledger.acknowledge(3)
    #expect(ledger.nacks == [nacks[2]])
    ledger.acknowledge(3)
    #expect(ledger.nacks == [nacks[2]])
    ledger.acknowledge(4)
    #expect(ledger.nacks.isEmpty)
  }

  @Test func refusals_areLimited() {
    var ledger = ClientLedger(id: 1, token: "secret")
    for number in 1...ClientLedger.nackLimit + 1 {
      let hasRoom = ledger.refuse(Nack(number: number, code: .gone, message: ""))
      #expect(hasRoom == (number <= ClientLedger.nackLimit))
    }
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
