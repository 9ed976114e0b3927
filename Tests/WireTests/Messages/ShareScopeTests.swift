import Testing

@testable import Wire

@Suite("What a session is shared for")
struct ShareScopeTests {
  static let scopes: [(scope: ShareScope, text: String)] = [(.view, "view"), (.act, "act")]

  @Test("every scope is written and read", arguments: scopes)
  func scope_isWrittenAndRead(scope: ShareScope, text: String) throws {
    #expect(scope.rawValue == text)
    let read = try ShareScope(JSONElement(parsing: #"{"scope":"\#(text)"}"#))
    #expect(read == scope)
  }

  @Test("the table is whole")
  func table_isWhole() { #expect(Self.scopes.map(\.scope) == ShareScope.allCases) }

  @Test("anything else is refused by name", arguments: ["1", "null", #""""#, #""View""#, #"["view"]"#])
  func otherScope_isRefused(scope: String) {
    let error = #expect(throws: MessageError.self) { try ShareScope(JSONElement(parsing: #"{"scope":\#(scope)}"#)) }
    #expect(error?.description == #"A message of kind "share" needs "scope", "view" or "act"."#)
  }
}
