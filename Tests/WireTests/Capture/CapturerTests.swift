import Testing

@testable import Wire

@Suite("Values as their own coding describes them")
struct CapturerTests {
  @Test("a value is written as Foundation's encoder writes it", arguments: CodableSample.all)
  func value_isWrittenAsByFoundation(sample: CodableSample) throws {
    #expect(haveSameUTF8(try JSONValue.canonical(sample.ours()), try JSONValue.canonical(sample.theirs())))
  }

  @Test("one recorder takes value after value")
  func recorder_isUsedAgain() throws {
    let encoder = ViewEncoder()
    var json = JSONWriter()
    json.beginArray()
    try encoder.write(Address(street: "a", number: 1), into: &json)
    try encoder.write([Empty()], into: &json)
    try encoder.write(Empty(), into: &json)
    try encoder.write("x", into: &json)
    #expect(throws: CaptureError.self) { try encoder.write(["a": Double.nan], into: &json) }
    try encoder.write([1, 2], into: &json)
    json.endArray()
    #expect(json.text == #"[{"street":"a","number":1},[{}],{},"x",[1,2]]"#)
  }

  @Test("one recorder takes values of several types in turn")
  func recorder_isUsedForSeveralTypes() throws {
    let encoder = ViewEncoder()
    func text(_ value: some Encodable, _ encoder: ViewEncoder) throws -> String {
      try JSONWriter.text { json throws(CaptureError) in try encoder.write(value, into: &json) }
    }
    let values: [any Encodable] = [
      Address(street: "a", number: 1), Simple(), Address(street: "b", number: 2), Bird(canFly: true), Simple(),
      Bird(canFly: true), ["a": 1],
      ["b": Simple()], Address(street: "c", number: 3),
    ]
    for value in values { #expect(try text(value, encoder) == text(value, ViewEncoder())) }
  }

  @Test("a container that is kept past the coding of its value changes no other one")
  func container_thatIsKept_changesNothing() throws {
    final class Keeper: Encodable {
      enum Keys: CodingKey { case late }
      var container: KeyedEncodingContainer<Keys>?
      func encode(to encoder: any Encoder) throws { container = encoder.container(keyedBy: Keys.self) }
    }
    let (encoder, keeper) = (ViewEncoder(), Keeper())
    var json = JSONWriter()
    try encoder.write(keeper, into: &json)
    try keeper.container?.encode(1, forKey: .late)
    json.removeAll()
    try encoder.write(Address(street: "a", number: 1), into: &json)
    #expect(json.text == #"{"street":"a","number":1}"#)
  }

  @Test("properties are written in the order in which they are encoded")
  func properties_keepTheirOrder() throws {
    let text = try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(Simple(), into: &json) }
    var keys: [String] = []
    try JSONElement(parsing: text).forEachMember { key, _ in keys.append(key.string ?? "") }
    #expect(keys == Mirror(reflecting: Simple()).children.compactMap(\.label))
  }

  @Test("numbers are written in the shortest form of their own type")
  func numbers_keepTheirType() throws {
    let value = Pair(first: [0.1, -0.0, 1e22], second: [0.1, 16_777_216, -0.0] as [Float])
    let text = try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(value, into: &json) }
    #expect(text == #"{"first":[0.1,-0,1e+22],"second":[0.1,16777216,-0]}"#)
  }

  /// An encoder's least usual customers.
  struct Odd: Encodable {
    var ask: @Sendable (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try ask(encoder) }
  }

  enum Key: CodingKey { case a, b }

  static let odd: [(ask: @Sendable (any Encoder) throws -> Void, text: String)] = [
    ({ _ in }, "{}"),
    ({ _ = $0.container(keyedBy: Key.self) }, "{}"),
    ({ _ = $0.unkeyedContainer() }, "[]"),
    (
      {
        var container = $0.singleValueContainer()
        try container.encodeNil()
      }, "null"
    ),
    ({ try [1].encode(to: $0) }, "[1]"),
    (
      {
        var first = $0.container(keyedBy: Key.self)
        try first.encode(1, forKey: .a)
        var second = $0.container(keyedBy: Key.self)
        try second.encode(2, forKey: .b)
      }, #"{"a":1,"b":2}"#
    ),
    (
      // Of two members with one key the last counts, as with Foundation's encoder.
      {
        var first = $0.container(keyedBy: Key.self)
        try first.encode(1, forKey: .a)
        try first.encode(2, forKey: .b)
        var second = $0.container(keyedBy: Key.self)
        try second.encode(3, forKey: .a)
      }, #"{"a":3,"b":2}"#
    ),
    (
      {
        var container = $0.container(keyedBy: Key.self)
        _ = container.superEncoder()
        _ = container.nestedUnkeyedContainer(forKey: .a)
        try container.encodeNil(forKey: .b)
      }, #"{"super":{},"a":[],"b":null}"#
    ),
    (
      {
        var container = $0.unkeyedContainer()
        try container.encodeNil()
        #expect(container.count == 1)
        _ = container.nestedContainer(keyedBy: Key.self)
        try 2.encode(to: container.superEncoder())
        #expect(container.count == 3)
      }, "[null,{},2]"
    ),
  ]

  @Test("whatever containers are asked for, the JSON is whole", arguments: odd)
  func oddCoding_isRecorded(ask: @escaping @Sendable (any Encoder) throws -> Void, text: String) throws {
    let written = try JSONWriter.text { json throws(CaptureError) in
      try ViewEncoder().write(Odd(ask: ask), into: &json)
    }
    #expect(written == text)
  }

  final class Token: Encodable {}
  struct HoldsToken: Encodable {
    var token: Token
    var number = 0.0
  }

  @Test("what was written is not kept: its owner's next change would copy it")
  func values_areNotKept() throws {
    let encoder = ViewEncoder()
    var json = JSONWriter()
    var patch = PatchWriter()
    weak var kept: Token?
    func make(_ number: Double) -> HoldsToken {
      let token = Token()
      kept = token
      return HoldsToken(token: token, number: number)
    }
    try encoder.write(make(0), into: &json)
    #expect(kept == nil)
    #expect(throws: CaptureError.self) { try encoder.write(make(.nan), into: &json) }
    #expect(kept == nil)
    try encoder.writeDifference(from: HoldsToken(token: Token()), to: make(1), into: &patch)
    #expect(kept == nil)
    #expect(throws: CaptureError.self) {
      try encoder.writeDifference(from: HoldsToken(token: Token()), to: make(.nan), into: &patch)
    }
    #expect(kept == nil)
  }

  private struct Repeating: Encodable {
    enum Keys: String, CodingKey { case user, other, name, age, list }
    var count = 1

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var name = container.nestedContainer(keyedBy: Keys.self, forKey: .user)
      try name.encode("Ann", forKey: .name)
      try container.encode(1, forKey: .other)
      var age = container.nestedContainer(keyedBy: Keys.self, forKey: .user)
      try age.encode(count, forKey: .age)
      try container.encode(count + 1, forKey: .other)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(2)
    }
  }

  @Test("containers of one key are one, and of values of one key the last is written")
  func key_thatIsUsedTwice_isOneMember() throws {
    let text = try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(Repeating(), into: &json) }
    #expect(text == #"{"user":{"name":"Ann","age":1},"other":2,"list":[1,2]}"#)
    var patch = PatchWriter()
    try ViewEncoder(prefersShorter: false).writeDifference(from: Repeating(), to: Repeating(count: 2), into: &patch)
    #expect(
      patch.text
        == #"[{"op":"replace","path":"/user/age","value":2},{"op":"replace","path":"/other","value":3}]"#)
  }

  private struct Wide: Encodable {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    let keys: [String]
    var members: [String: Int] = [:]

    func encode(to encoder: any Encoder) throws {
      if !members.isEmpty { try members.encode(to: encoder) }
      var container = encoder.container(keyedBy: Key.self)
      for (number, key) in keys.enumerated() { try container.encode(number, forKey: Key(stringValue: key)) }
    }
  }

  @Test("of many members, too, each key is one", arguments: [1, 5, 31, 32, 33, 100])
  func keysOfManyMembers_areEachOne(count: Int) throws {
    let keys = (0..<count).map { "a member with the number \($0)" }
    let expected = "{" + keys.enumerated().map { "\"\($1)\":\($0 + count)" }.joined(separator: ",") + "}"
    let text = try JSONWriter.text { json throws(CaptureError) in
      try ViewEncoder().write(Wide(keys: keys + keys), into: &json)
    }
    #expect(text == expected)
    // A dictionary passes its encoder on, and another container follows.
    let mixed = Wide(keys: keys, members: Dictionary(uniqueKeysWithValues: keys.map { ($0, -1) }))
    let values = try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(mixed, into: &json) }
    #expect(!values.contains("-1"))
    #expect(values.count { $0 == ":" } == count)
  }
}
