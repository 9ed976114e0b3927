import Testing

@testable import Wire

@Suite("RFC 6455 §7.4 Close codes")
struct CloseCodeTests {
  @Test("the names have the numbers of §7.4.1")
  func names_haveTheirNumbers() {
    let codes: [CloseCode] = [
      .normal, .goingAway, .protocolError, .unsupportedData, .invalidData, .messageTooBig, .internalError,
    ]
    #expect(codes.map(\.rawValue) == [1000, 1001, 1002, 1003, 1007, 1009, 1011])
  }

  @Test("a peer may send what is defined, registered or private, and no other code")
  func sendableCodes_areThoseOfTheRegistry() {
    let sendable = (UInt16.min...UInt16.max).filter { CloseCode(rawValue: $0).maySend }
    let registered: [UInt16] = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014]
    #expect(sendable == registered + Array(3000...4999))
  }
}
