import CurlTransport
import Foundation
import Testing

@testable import RibServer

@Suite struct InheritedSocketsTests {
  private static func sockets(_ variables: [String: String]) throws -> InheritedSockets {
    try InheritedSockets(processID: 42) { variables[$0] }
  }

  @Test func sockets_haveTheNamesOfTheirUnits() throws {
    let sockets = try Self.sockets(["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "admin:http:http"])
    #expect(sockets["admin"] == 3)
    #expect(sockets["http"] == 4)
    #expect(sockets["other"] == nil)
    #expect(sockets.first(besides: ["admin"]) == 4)
    #expect(sockets.first(besides: ["admin", "http"]) == nil)
  }

  @Test func socketsWithoutNames_areThereInOrder() throws {
    let sockets = try Self.sockets(["LISTEN_PID": "42", "LISTEN_FDS": "2"])
    #expect(sockets.first(besides: ["admin"]) == 3)
    #expect(sockets["http"] == nil)
  }

  /// Clients would wait in its queue for ever.
  @Test func socketThatNobodyTakes_isAnError() throws {
    let sockets = try Self.sockets(["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "admin:http:http"])
    let error = #expect(throws: InheritedSocketsError.self) {
      try sockets.check(areTaken: [sockets["admin"], sockets["http"]])
    }
    #expect(error?.reason.contains("\"http\" is one too many") == true)
    try sockets.check(areTaken: [3, nil, 4, 5])
  }

  @Test(arguments: [
    [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "41", "LISTEN_FDS": "1"], ["LISTEN_PID": "42", "LISTEN_FDS": "0"],
  ])
  func socketsOfAnotherProcess_areNotThisOnes(_ variables: [String: String]) throws {
    #expect(try Self.sockets(variables).first(besides: []) == nil)
  }

  @Test(arguments: ["", "x", "-1", "99999999999999999999", "2000"])
  func countThatIsNone_isAnError(_ count: String) {
    #expect(throws: InheritedSocketsError.self) { try Self.sockets(["LISTEN_PID": "42", "LISTEN_FDS": count]) }
  }

  /// The supervisor goes on to listen: who connects between two processes waits for the next one.
  @Test func servers_takeTurnsAtOneSocket() async throws {
    let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
    defer { closeDescriptor(socket.descriptor) }
    let url = "http://127.0.0.1:\(socket.port)"
    for _ in 1...2 {
      // It waits in the socket's queue.
      let client = try await blocking { try TwinClient(url) }
      try await withServer({ $0.socket = dup(socket.descriptor) }) { _, address in
        #expect(address == url)
        let body = try await blocking { try client.ask("GET", "/healthz").body }
        #expect(body == "ok\n")
      }
      client.cut()
    }
  }

  @Test func descriptorThatDoesNotListen_isAnError() throws {
    let socket = makeSocket(AF_INET)
    defer { closeDescriptor(socket) }
    #expect(throws: SystemError.self) { try ListeningSocket(inherited: socket) }
    #expect(throws: SystemError.self) { try ListeningSocket(inherited: 9_999) }
  }
}
