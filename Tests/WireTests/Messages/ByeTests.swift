import Testing

@testable import Wire

@Suite("Why the server ends a connection")
struct ByeTests {
  static let table: [(bye: Bye, code: String, closeCode: UInt16, comesBack: Bye.Return)] = [
    (.ended, "ended", 1000, .not), (.shutdown, "shutdown", 4000, .atOnce), (.silent, "silent", 4001, .atOnce),
    (.gone, "gone", 4200, .asNewSession), (.badMessage, "bad_message", 4400, .whenAsked),
    (.failed, "failed", 4403, .not),
    (.unknownApp, "unknown_app", 4404, .not), (.noHello, "no_hello", 4008, .atOnce), (.full, "full", 4100, .later),
    (.moved, "moved", 4002, .atOnce), (.unavailable, "unavailable", 4101, .later), (.quota, "quota", 4102, .later),
    (.poisoned, "poisoned", 4201, .asNewSession), (.denied, "denied", 4401, .not), (.taken, "taken", 4409, .not),
    (.stale, "stale", 4410, .not), (.busy, "busy", 4103, .later), (.expired, "expired", 4300, .withCredential),
    (.unauthenticated, "unauthenticated", 4301, .withCredential), (.revoked, "revoked", 4402, .not),
    (.forbidden, "forbidden", 4405, .not),
  ]

  @Test("every reason has its code, its close code and what a client does next", arguments: table)
  func bye_hasItsCodes(bye: Bye, code: String, closeCode: UInt16, comesBack: Bye.Return) {
    #expect(bye.rawValue == code)
    #expect(Bye(rawValue: code) == bye)
    #expect(bye.closeCode.rawValue == closeCode)
    #expect(bye.closeCode.maySend)
    #expect(bye.comesBack == comesBack)
  }

  @Test("the table is whole, and no two reasons share a close code")
  func table_isWhole() {
    #expect(Set(Self.table.map(\.bye)) == Set(Bye.allCases))
    #expect(Set(Bye.allCases.map(\.closeCode)).count == Bye.allCases.count)
  }

  static let hundreds: [(codes: ClosedRange<UInt16>, comesBack: Bye.Return)] = [
    (4000...4099, .atOnce), (4100...4199, .later), (4200...4299, .asNewSession),
    (4300...4399, .withCredential), (4400...4400, .whenAsked), (4401...4499, .not),
  ]

  @Test("the hundreds say what a client does, whether it knows the code or not", arguments: hundreds)
  func hundreds_sayWhatToDo(codes: ClosedRange<UInt16>, comesBack: Bye.Return) {
    for code in codes { #expect(Bye.Return(CloseCode(rawValue: code)) == comesBack) }
    for bye in Bye.allCases where codes.contains(bye.closeCode.rawValue) { #expect(bye.comesBack == comesBack) }
  }

  static let standard: [(code: UInt16?, comesBack: Bye.Return)] = [
    (nil, .atOnce), (1000, .atOnce), (1001, .atOnce), (1002, .whenAsked), (1003, .whenAsked), (1006, .atOnce),
    (1007, .whenAsked), (1009, .whenAsked),
    (1011, .atOnce), (1012, .atOnce), (1013, .atOnce), (3000, .atOnce),
  ]

  @Test("after RFC 6455's own codes a client comes back unless it would do the same wrong again", arguments: standard)
  func standardCodes_sayWhatToDo(code: UInt16?, comesBack: Bye.Return) {
    #expect(Bye.Return(code.map(CloseCode.init)) == comesBack)
  }
}
