import Testing
import Wire

@testable import RibServer

@Suite struct UnknownSettingErrorTests {
  @Test(
    arguments: [
      (#"{"limit":{"conections":5}}"#, "limit.conections", "limits.connections"),
      (#"{"limits":{"connectionsPerAdress":5}}"#, "limits.connectionsPerAdress", "limits.connectionsPerAddress"),
      (#"{"messageBytes":5,"port":1}"#, "messageBytes", "limits.messageBytes"),
      (#"{"limits.actionPerSecond":5}"#, "limits.actionPerSecond", "limits.actionsPerSecond"),
      (#"{"host":{"name":"x"}}"#, "host.name", "host"),
      (#"{"limits":5}"#, "limits", "host"),
    ])
  func unknownKey_isAnErrorThatNamesTheNearest(_ file: String, _ name: String, _ nearest: String) throws {
    let file = try JSONValue(parsing: file)
    let error = #expect(throws: UnknownSettingError.self) {
      try UnknownSettingError.check(file: file, for: Setting.all)
    }
    #expect(error?.name == name)
    // What is like none of them has some nearest one.
    if name != "limits" { #expect(error?.nearest == nearest) }
  }

  @Test func unknownVariable_isAnErrorThatNamesTheNearest() throws {
    let error = #expect(throws: UnknownSettingError.self) {
      try UnknownSettingError.check(environment: ["RIBD_PORT", "HOME", "RIBD_LIMTS_SESSIONS"], for: Setting.all)
    }
    #expect(
      error?.description
        == #"There is no setting "RIBD_LIMTS_SESSIONS"; the nearest is "RIBD_LIMITS_SESSIONS"."#)
  }

  @Test func knownNames_areNoError() throws {
    let file = #"{"limits":{"connections":5,"sessions":6},"port":1,"timeouts":{}}"#
    try UnknownSettingError.check(file: try JSONValue(parsing: file), for: Setting.all)
    try UnknownSettingError.check(
      environment: ["PATH", "RIBD_LEDGER"] + Setting.all.map(\.variable), for: Setting.all, besides: ["RIBD_LEDGER"])
  }
}
