import RibCore
import RibTesting
import Testing
import Wire

/// That a patch has the least that changed, and nothing else.
struct ViewNodeTests {
  @Test func patch_ofAProperty_replacesIt() throws {
    #expect(try operations(Profile(), Profile(age: 8)) == ["replace /age 8"])
    let nick = String(repeating: "long ", count: 30)
    #expect(
      try operations(Profile(nick: nick), Profile(age: 8, nick: nick, home: .init(city: "Rome")))
        == ["replace /age 8", #"replace /home/city "Rome""#])
  }

  @Test func patch_ofANestedProperty_replacesThatOnly() throws {
    #expect(try operations(Profile(), Profile(home: .init(zip: .init(code: 2)))) == ["replace /home/zip/code 2"])
  }

  @Test func patch_ofAnOptional_addsAndRemoves() throws {
    #expect(try operations(Profile(), Profile(nick: "Jo")) == [#"add /nick "Jo""#])
    #expect(try operations(Profile(nick: "Jo"), Profile()) == ["remove /nick"])
    #expect(try operations(Profile(nick: "Jo"), Profile(nick: "Al")) == [#"replace /nick "Al""#])
  }

  @Test func patch_ofAnOptionalNestedValue_goesInside() throws {
    #expect(try operations(Profile(), Profile(work: .init())) == [#"add /work {"city":"Oslo","zip":{"code":1}}"#])
    #expect(
      try operations(Profile(work: .init()), Profile(work: .init(city: "Rome"))) == [#"replace /work/city "Rome""#])
    #expect(try operations(Profile(work: .init()), Profile()) == ["remove /work"])
  }

  @Test(
    arguments: [
      ([1, 2, 3], [0, 1, 2, 3], ["add /0 0"]),
      ([1, 2, 3], [1, 9, 2, 3], ["add /1 9"]),
      ([1, 2, 3], [1, 2, 3, 4], ["add /3 4"]),
      ([1, 2, 3], [2, 3], ["remove /0"]),
      ([1, 2, 3], [1, 3], ["remove /1"]),
      ([1, 2, 3], [1, 2], ["remove /2"]),
      ([1, 2, 3], [1, 9, 3], ["replace /1 9"]),
      ([1, 2, 3], [], ["replace  []"]),
      ([], [1, 2], ["replace  [1,2]"]),
      ([1, 1, 1], [1, 1], ["remove /2"]),
      ([1, 2, 3], [1, 2, 3], []),
    ] as [([Int], [Int], [String])])
  func patch_ofAnArray_touchesOnlyTheElementsThatDiffer(old: [Int], new: [Int], expected: [String]) throws {
    #expect(try operations(old, new) == expected)
  }

  @Test func patch_ofAnElement_replacesItsProperty() throws {
    let rows = (0..<100).map { Row(id: $0, text: "row \($0)") }
    var changed = rows
    changed[50].text = "changed"
    #expect(try operations(rows, changed) == [#"replace /50/text "changed""#])
    #expect(try operations(rows, [Row(id: -1, text: "first")] + rows) == [#"add /0 {"id":-1,"text":"first"}"#])
    #expect(try operations(rows, rows.filter { $0.id != 50 }) == ["remove /50"])
  }

  @Test func patch_withinACase_goesIntoThePayload() throws {
    #expect(
      try operations(Phase.loaded(rows: 1, more: false), .loaded(rows: 2, more: false)) == ["replace /loaded/rows 2"])
    #expect(try operations(Phase.failed("a"), .failed("b")) == [#"replace /failed/_0 "b""#])
    #expect(try operations(Phase.loading, .loading) == [])
  }

  @Test func patch_acrossCases_replacesTheWhole() throws {
    #expect(
      try operations(Screen(phase: .loading), Screen(phase: .failed("no"))) == [
        #"replace /phase {"failed":{"_0":"no"}}"#
      ])
  }

  @Test func patch_ofADictionary_goesByKey() throws {
    let patch = try operations(["a": 1, "b": 2], ["a": 1, "b": 3, "c/d": 4])
    #expect(patch == [#"replace  {"a":1,"b":3,"c/d":4}"#])
    #expect(try operations(["a": 1, "b": 2], ["a": 1, "b": 3]) == ["replace /b 3"])
    #expect(try operations(["a": 1, "b": 2], ["b": 2]) == ["remove /a"])
  }

  @Test func patch_ofAViewStateThatIsNoObject_replacesIt() throws {
    #expect(try operations(1, 2) == ["replace  2"])
    #expect(try operations("a", "a") == [])
  }

  @Test func patch_ofEqualStringsWithOtherBytes_replacesThem() throws {
    // Swift calls them equal; what a client holds must be the snapshot to the byte.
    #expect(try operations("\u{E9}", "e\u{301}") == ["replace  \"e\u{301}\""])
  }

  @Test func patch_ofAnUnchangedView_hasNoOperations() throws {
    #expect(try operations(Profile(nick: "Jo", work: .init()), Profile(nick: "Jo", work: .init())) == [])
    #expect(try operations([Row(id: 1, text: "a")], [Row(id: 1, text: "a")]) == [])
  }

  @Test func view_isComparedWithWhatTheClientHas() throws {
    // What comes and goes within one transaction is not in the patch; the next one starts from there.
    let session = try TestSession(Slides([1, 2, 1, 3]))
    #expect(try session.send(#"{"skip":2}"#) == [])
    #expect(try session.send(#"{"skip":1}"#) == ["replace /nodes/1/state 3"])
  }

  @Test func view_isComputedOnceForATransaction() throws {
    let journal = Journal()
    let session = try TestSession(Slides([1, 2, 3, 4], journal: journal))
    session.asksViewsAgain = false
    _ = journal.take()
    try session.send(#"{"skip":3}"#)
    #expect(journal.take() == ["view 4"])
  }

  /// The patch from one view to another, with paths from the node's state on.
  private func operations<Value: Encodable & Equatable & Sendable>(_ old: Value, _ new: Value) throws -> [String] {
    let session = try TestSession(Slides([old, new]))
    return try session.send(#"{"skip":1}"#).map { $0.replacing("/nodes/1/state", with: "") }
  }
}

private struct Profile: Encodable, Equatable {
  struct Address: Encodable, Equatable {
    struct Zip: Encodable, Equatable { var code = 1 }
    var city = "Oslo"
    var zip = Zip()
  }

  var age = 7
  var nick: String?
  var home = Address()
  var work: Address?
}

private struct Row: Encodable, Equatable {
  var id: Int
  var text: String
}

private enum Phase: Encodable, Equatable {
  case loading
  case loaded(rows: Int, more: Bool)
  case failed(String)
}

private struct Screen: Encodable, Equatable { var phase: Phase }
