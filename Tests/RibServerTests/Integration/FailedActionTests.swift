import CurlTransport
import RibCore
import RibServer
import Testing
import Wire

/// An action that was run and cannot stand is refused, and undone.
@Suite struct FailedActionTests {
  /// Shows a number that may become none, and answers itself for ever when told to.
  struct Fragile: Riblet {
    static let typeName = "Fragile"
    enum ViewAction: String, Decodable { case halve, breakView, spin }
    enum InternalAction { case again }
    struct ViewState: Encodable, Equatable { let value: Double }

    func makeState() -> Double { 1 }

    func reduce(into value: inout Double, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .halve: value /= 2
      case .breakView: value = .nan
      case .spin: return .send(.again)
      }
      return .none
    }

    func reduce(into value: inout Double, internalAction: InternalAction) -> Effect<Self> {
      value += 1
      return .send(.again)
    }

    func view(_ value: Double) -> ViewState { ViewState(value: value) }
  }

  @Test(arguments: [("breakView", "The view state of Fragile cannot be encoded: value"), ("spin", "did not settle")])
  func failedAction_isRefusedAndUndone(_ action: String, _ says: String) async throws {
    try await withServer(apps: [App("fragile") { Fragile() }]) { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url)
        try socket.send(#"{"t":"hello","app":"fragile"}"#)
        _ = try socket.text()
        _ = try socket.text()
        try socket.send(#"{"t":"act","n":1,"to":1,"a":"\#(action)"}"#)
        let nack = try #require(try socket.text())
        #expect(nack.hasPrefix(#"{"t":"nack","n":1,"code":"failed","message":""#))
        #expect(nack.contains(says) && nack.contains("Fragile"))
        try socket.send(#"{"t":"act","n":2,"to":1,"a":"halve"}"#)
        let patch = #"{"op":"replace","path":"/nodes/1/state/value","value":0.5}"#
        #expect(try socket.text() == #"{"t":"patch","rev":2,"base":1,"n":2,"ops":[\#(patch)]}"#)
      }
    }
  }
}
