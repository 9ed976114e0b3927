import RibTestSupport
import Testing

@testable import Wire

@Suite("States of a base and changes")
struct StateCoderChangesTests {
  private struct Numbers: Codable, Equatable {
    var unsigned = UInt64.max
    var wide = Int128.max
    var signed = Int64.min
    var minusZero = -0.0
    var tenth: Float = 0.1
    var large = 1e300
    var none = Double.nan
    var optional: Int?
    var rest: [Int] = []
  }

  /// What is made of the old state's JSON by what differs between the two.
  private static func patched<State: Encodable>(_ old: State, to new: State) throws -> (text: String, count: Int) {
    let encoder = StateCoder.makeEncoder()
    var patch = PatchWriter()
    try encoder.writeDifference(from: old, to: new, into: &patch)
    let base = String(decoding: try StateCoder.encode(old), as: UTF8.self)
    return (try StateCoder.apply([Array(patch.text.utf8)], to: base), patch.count)
  }

  private static func normalized(_ state: some Encodable) throws -> String {
    try StateCoder.normalized(String(decoding: try StateCoder.encode(state), as: UTF8.self))
  }

  @Test func change_leavesAllOtherNumbersAsTheyWere() throws {
    let old = Numbers()
    var new = old
    new.rest = [1]
    new.optional = 3
    let (text, count) = try Self.patched(old, to: new)
    #expect(count == 2)
    #expect(
      text == """
        {"large":1e+300,"minusZero":-0,"none":"nan","optional":3,"rest":[1],"signed":-9223372036854775808,"tenth":0.1,\
        "unsigned":18446744073709551615,"wide":170141183460469231731687303715884105727}
        """)
    let read: Numbers = try StateCoder.decode(from: try StateCoder.read(text))
    #expect(read.unsigned == .max && read.wide == .max && read.signed == .min && read.minusZero.sign == .minus)
  }

  @Test func noChanges_leaveTheText() throws {
    #expect(try StateCoder.apply([], to: #"{"b":1,"a":2}"#) == #"{"b":1,"a":2}"#)
  }

  @Test func changes_areAppliedInOrder() throws {
    let changes = [#"[{"op":"replace","path":"","value":[1]}]"#, #"[{"op":"add","path":"/1","value":2}]"#]
    #expect(try StateCoder.apply(changes.map { Array($0.utf8) }, to: "null") == "[1,2]")
  }

  @Test(arguments: [
    "[", #"[{"op":"add"}]"#, #"[{"op":"remove","path":"/a"}]"#, #"[{"op":"test","path":"","value":1}]"#,
  ])
  func damage_isAnError(change: String) {
    #expect(throws: StateCoder.ChangeError.self) { try StateCoder.apply([Array(change.utf8)], to: "{}") }
    #expect(throws: StateCoder.ChangeError.self) { try StateCoder.apply([Array("[]".utf8)], to: "{") }
  }

  @Test("as deep as a state may be") func deepState_canChange() throws {
    let depth = JSONLimits.valueNesting
    let base = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let change = #"[{"op":"replace","path":"","value":\#(base)}]"#
    #expect(try StateCoder.apply([Array(change.utf8)], to: "0") == base)
  }

  /// A type's own difference is for views: a mistake in it would be kept for good.
  @Test func ownDifference_isNotAsked() throws {
    struct Own: Codable, ViewDifferentiable {
      var value = 0
      func writeDifference(
        from old: Own, into patch: inout PatchWriter, using encoder: ViewEncoder
      ) throws(CaptureError) {}
    }
    #expect(try Self.patched(Own(value: 1), to: Own(value: 2)).text == #"{"value":2}"#)
  }

  @Test("random changes make what would be written anew", arguments: TestRun.seeds(71))
  func randomChange_makesTheNewState(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    var operations = 0
    func check<State: RandomView>(_ type: State.Type) throws {
      let old = State.random(using: &generator)
      let new = old.next(using: &generator)
      let (text, count) = try Self.patched(old, to: new)
      try #require(haveSameUTF8(text, try Self.normalized(new)), "seed \(seed)")
      operations += count
    }
    for _ in 0..<500 {
      try check(Pair<Int, String>.self)
      try check([Double?].self)
      try check([String: [String: Int]].self)
      try check(Person.self)
      try check([Address].self)
      try check(Pair<Screen, [Screen]>.self)
      try check(Tree.self)
      try check(ByHand.self)
      try check([String: AnyAnimal].self)
    }
    #expect(operations > 3000)
  }
}
