import Testing
import Wire

@testable import RibAuth

@Suite struct JSONElementMembersTests {
  private func read(_ text: String) throws -> JSONElement {
    var reader = JSONReader()
    return try reader.read(text).root
  }

  @Test(arguments: [
    (#"{"a":1,"b":1}"#, false), (#"{"a":1,"a":1}"#, true), (#"{"a":1,"\u0061":2}"#, true),
    (#"{"a":{"b":1},"c":{"b":1}}"#, false), (#"{"a":{"b":1,"c":0,"b":1}}"#, true), (#"[[{"a":1},{"a":1}]]"#, false),
    (#"{"x":[0,[{"a":1,"a":1}]]}"#, true), (#"{"é":1,"é":1}"#, true), ("1", false), ("{}", false),
  ])
  func member_isTwiceThere(text: String, repeats: Bool) throws {
    #expect(try read(text).repeatsMembers == repeats)
  }

  @Test func claim_isFoundByNameAndByPath() throws {
    let claims = try read(#"{"a":1,"b":{"c":{"d":2}},"https://x.example/roles":3,"b.c":4,"":{"":5}}"#)
    let values = ["a", "b.c.d", "https://x.example/roles", "b.c", "b.x", "a.b", "x", ".", "b."]
      .map { claims.claim($0)?.integer(Int.self) }
    #expect(values == [1, 2, 3, 4, nil, nil, nil, 5, nil])
  }

  @Test func strings_areThoseOfAnArrayOfStrings() throws {
    #expect(try read(#"["a","b"]"#).strings == ["a", "b"])
    #expect(try read("[]").strings == [])
    for other in [#"["a",1]"#, #""a""#, "{}", "null", #"[["a"]]"#] { #expect(try read(other).strings == nil) }
  }
}
