import Testing

@testable import Wire

@Suite("Actions from JSON")
struct ActionDecoderTests {
  struct Filter: Codable, Equatable {
    var text: String?
    var limit: Int?
  }

  struct Point: Codable, Equatable {
    var x: Double
    var y: Double
  }

  enum Action: Codable, Equatable, Sendable {
    case increment
    case select(Int)
    case rename(String?)
    case note(text: String?)
    case go(to: Int)
    case move(from: Int, to: Int)
    case pair(Int, Int)
    case mixed(Int, label: String)
    case point(Point)
    case filter(Filter)
    case tags([String])
    case counts([String: Int])
    case tab(Tab)
    case screen(Screen)
    case flag(Bool)
    case two(String?, flag: Bool)
    case twins(Int?, Int?)
    case filters(Filter, Filter?)
  }

  // MARK: Depth

  @Test("an action that is nested too deeply is refused, and what is around it is read", arguments: [505, 60_000])
  func deepAction_isRefused(levels: Int) throws {
    let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    var reader = JSONReader(limits: JSONLimits(depth: .max))
    let message = try reader.read(#"{"a":{"tags":\#(deep)},"b":{"tags":["\ud83d"]},"n":7}"#).root
    let error = #expect(throws: DecodingError.self) {
      let _: Action = try ActionDecoder.decode(from: try #require(message["a"]))
    }
    #expect(error.map { "\($0)".contains("nested more than 504 levels deep") } == true)
    #expect(message["n"]?.integer() == 7)
    #expect(message["a"]?.source == #"{"tags":\#(deep)}"#)
    // What stands beside it is not deep.
    #expect(try ActionDecoder.decode(from: try #require(message["b"])) == Action.tags(["\u{FFFD}"]))
  }

  @Test("an action may be nested as deeply as a value that is shown")
  func actionAtTheLimit_isDecoded() throws {
    let deep = String(repeating: "[", count: 503) + String(repeating: "]", count: 503)
    var reader = JSONReader(limits: JSONLimits(depth: .max))
    let element = try reader.read("[[[[[{\"any\":\(deep)}]]]]]").root
    let inner = try #require((0..<5).reduce(element) { outer, _ in outer?.elements.first { _ in true } })
    #expect(throws: Never.self) { let _: [String: JSONValue] = try ActionDecoder.decode(from: inner) }
    #expect(throws: DecodingError.self) { let _: [JSONValue] = try ActionDecoder.decodeValue(from: element) }
  }

  // MARK: Cases

  static let accepted: [(json: String, action: Action)] = [
    // No payload.
    (#""increment""#, .increment), (#"{"increment":{}}"#, .increment), (#""\u0069ncrement""#, .increment),
    (#"{"\u0069ncrement":{}}"#, .increment), (#"{"increment":{"unknown":1}}"#, .increment),
    // A single unlabelled payload, bare and not.
    (#"{"select":1}"#, .select(1)), (#"{"select":{"_0":1}}"#, .select(1)),
    (#"{"select":{"_0":1,"unknown":2}}"#, .select(1)),
    (#"{"flag":false}"#, .flag(false)), (#"{"flag":{"_0":true}}"#, .flag(true)), (#"{"tags":[]}"#, .tags([])),
    (#"{"tags":["a"]}"#, .tags(["a"])), (#"{"tags":{"_0":["a"]}}"#, .tags(["a"])),
    (#"{"tab":"home"}"#, .tab(.home)), (#"{"tab":{"home":{}}}"#, .tab(.home)),
    (#"{"tab":{"_0":"fin\u00e9"}}"#, .tab(.finance)),
    (#"{"tab":{"_0":{"fin\u00e9":{}}}}"#, .tab(.finance)),
    // An object for a payload.
    (#"{"point":{"x":1,"y":2.5}}"#, .point(Point(x: 1, y: 2.5))),
    (#"{"point":{"_0":{"x":1,"y":2.5}}}"#, .point(Point(x: 1, y: 2.5))),
    (#"{"counts":{"a":1,"b":2}}"#, .counts(["a": 1, "b": 2])), (#"{"counts":{"_0":{"a":1}}}"#, .counts(["a": 1])),
    (#"{"counts":{}}"#, .counts([:])), (#"{"filter":{"text":"a"}}"#, .filter(Filter(text: "a"))),
    (#"{"filter":{}}"#, .filter(Filter())),
    (#"{"filter":{"_0":{}}}"#, .filter(Filter())),
    // An optional payload.
    (#"{"rename":"a"}"#, .rename("a")), (#"{"rename":{"_0":"a"}}"#, .rename("a")), (#"{"rename":{}}"#, .rename(nil)),
    (#"{"rename":null}"#, .rename(nil)), (#"{"rename":{"_0":null}}"#, .rename(nil)), (#""rename""#, .rename(nil)),
    (#"{"note":{}}"#, .note(text: nil)), (#"{"note":{"text":null}}"#, .note(text: nil)), (#""note""#, .note(text: nil)),
    (#"{"note":{"text":"a"}}"#, .note(text: "a")),
    // Several payloads, and labels.
    (#"{"go":{"to":1}}"#, .go(to: 1)), (#"{"move":{"to":2,"from":1}}"#, .move(from: 1, to: 2)),
    (#"{"move":{"from":1,"unknown":[],"to":2}}"#, .move(from: 1, to: 2)), (#"{"pair":{"_1":2,"_0":1}}"#, .pair(1, 2)),
    (#"{"mixed":{"_0":1,"label":"a"}}"#, .mixed(1, label: "a")),
    // An optional payload before another one: who is nil is not written.
    (#"{"two":{"flag":true}}"#, .two(nil, flag: true)), (#"{"two":{"flag":true,"_0":"a"}}"#, .two("a", flag: true)),
    (#"{"two":{"_0":null,"flag":false}}"#, .two(nil, flag: false)), (#"{"twins":{"_1":3}}"#, .twins(nil, 3)),
    (#"{"twins":{"_0":3}}"#, .twins(3, nil)), (#"{"twins":{}}"#, .twins(nil, nil)), (#""twins""#, .twins(nil, nil)),
    (#"{"twins":{"unknown":1}}"#, .twins(nil, nil)),
    // Actions in actions.
    (#"{"screen":"empty"}"#, .screen(.empty)), (#"{"screen":{"empty":{}}}"#, .screen(.empty)),
    (#"{"screen":{"tab":"x","unknown":1,"tab":"home"}}"#, .screen(.tab(.home))),
    (#"{"screen":{"_0":{"empty":{}}}}"#, .screen(.empty)), (#"{"screen":{"_0":"empty"}}"#, .screen(.empty)),
    (#"{"screen":{"list":[1,2]}}"#, .screen(.list([1, 2]))), (#"{"screen":{"tab":"home"}}"#, .screen(.tab(.home))),
    (#"{"screen":{"nested":{"_0":"empty","level":1}}}"#, .screen(.nested(.empty, level: .low))),
  ]

  @Test("an action may be written in more than one way", arguments: accepted)
  func action_isDecoded(json: String, action: Action) throws {
    #expect(try ActionDecoder.decode(Action.self, from: JSONElement(parsing: json)) == action)
    // As well inside an envelope, where no index begins at 0.
    let envelope = try JSONElement(parsing: #"{"t":"act","z":[1,{"y":[]}],"a":\#(json),"n":1}"#)
    #expect(try ActionDecoder.decode(Action.self, from: #require(envelope["a"])) == action)
  }

  @Test("an action that is part of a state comes back", arguments: accepted)
  func action_isSaved(json: String, action: Action) throws {
    let saved = try StateCoder.encode(action)
    #expect(
      try StateCoder.decode(Action.self, from: JSONElement(parsing: String(decoding: saved, as: UTF8.self))) == action,
      "\(saved)")
  }

  enum Failure { case typeMismatch, valueNotFound, keyNotFound, dataCorrupted }

  static let refused: [(json: String, failure: Failure, path: [String], reason: String)] = [
    // More or less than one key, known or not.
    ("{}", .dataCorrupted, [], "one key"), (#"{"increment":{},"select":1}"#, .dataCorrupted, [], "this one has 2"),
    (#"{"increment":{},"unknown":1}"#, .dataCorrupted, [], "this one has 2"),
    (#"{"increment":{},"increment":{}}"#, .dataCorrupted, [], "this one has 2"),
    (#"{"unknown":1,"other":2,"more":3}"#, .dataCorrupted, [], "this one has 3"),
    // No such case.
    (#"{"unknown":{}}"#, .typeMismatch, [], "expected one"),
    (#""unknown""#, .typeMismatch, [], "Expected an object, found a string."),
    (#""Increment""#, .typeMismatch, [], "found a string"), (#""""#, .typeMismatch, [], "found a string"),
    (#"{"_0":1}"#, .typeMismatch, [], "expected one"),
    // No action at all.
    ("1", .typeMismatch, [], "Expected an object, found a number."), ("true", .typeMismatch, [], "found a boolean"),
    (#"["increment"]"#, .typeMismatch, [], "found an array"),
    ("null", .valueNotFound, [], "Expected an object, found null."),
    // A payload for a case that has none.
    (#"{"increment":1}"#, .typeMismatch, ["increment"], "Expected an object, found a number."),
    (#"{"increment":null}"#, .valueNotFound, ["increment"], "found null"),
    (#"{"increment":[]}"#, .typeMismatch, ["increment"], "found an array"),
    (#"{"increment":"x"}"#, .typeMismatch, ["increment"], "found a string"),
    // None for one that has.
    (#""select""#, .keyNotFound, [], #"No value for the key "_0"."#), (#""go""#, .keyNotFound, [], #""to""#),
    (#""filter""#, .keyNotFound, [], #""_0""#), (#""counts""#, .keyNotFound, [], #""_0""#),
    (#"{"select":{}}"#, .typeMismatch, ["select"], "Expected an integer, found an object."),
    (#"{"select":null}"#, .valueNotFound, ["select"], "Expected an integer, found null."),
    (#"{"go":{}}"#, .keyNotFound, ["go"], #""to""#),
    (#"{"move":{"from":1}}"#, .keyNotFound, ["move"], #""to""#),
    (#"{"pair":1}"#, .typeMismatch, ["pair"], "found a number"),
    (#"{"filters":{}}"#, .keyNotFound, ["filters"], #""_0""#),
    (#"{"filters":{"text":"a"}}"#, .keyNotFound, ["filters"], #""_0""#),
    (#"{"pair":{"_0":1}}"#, .keyNotFound, ["pair"], #""_1""#), (#"{"mixed":1}"#, .keyNotFound, ["mixed"], #""label""#),
    // A bare payload stands for "_0" alone, never for a label.
    (#"{"go":1}"#, .typeMismatch, ["go"], "Expected an object, found a number."),
    (#"{"note":"a"}"#, .typeMismatch, ["note"], "found a string"),
    // The wrong type.
    (#"{"select":"1"}"#, .typeMismatch, ["select"], "Expected an integer, found a string."),
    (#"{"select":{"_0":"1"}}"#, .typeMismatch, ["select", "_0"], "Expected an integer, found a string."),
    (#"{"select":true}"#, .typeMismatch, ["select"], "found a boolean"),
    (#"{"select":1.5}"#, .dataCorrupted, ["select"], "1.5 is no value of Int."),
    (#"{"select":9223372036854775808}"#, .dataCorrupted, ["select"], "9223372036854775808 is no value of Int."),
    (#"{"flag":1}"#, .typeMismatch, ["flag"], "Expected a boolean, found a number."),
    (#"{"flag":null}"#, .valueNotFound, ["flag"], "a boolean"),
    (#"{"tags":"a"}"#, .typeMismatch, ["tags"], "Expected an array, found a string."),
    (#"{"tags":["a",1]}"#, .typeMismatch, ["tags", "1"], "Expected a string, found a number."),
    (#"{"tags":["a",null]}"#, .valueNotFound, ["tags", "1"], "Expected a string, found null."),
    (#"{"tags":[["a"]]}"#, .typeMismatch, ["tags", "0"], "found an array"),
    (#"{"counts":{"a":1,"b":"2"}}"#, .typeMismatch, ["counts", "b"], "Expected an integer, found a string."),
    (#"{"counts":"a"}"#, .typeMismatch, ["counts"], "Expected an object, found a string."),
    (#"{"point":{"x":1}}"#, .keyNotFound, ["point"], #""y""#),
    (#"{"point":{"x":1,"y":null}}"#, .valueNotFound, ["point", "y"], "a number"),
    (#"{"point":{"_0":{"x":1,"y":"2"}}}"#, .typeMismatch, ["point", "_0", "y"], "Expected a number, found a string."),
    (#"{"point":{"x":1,"y":1e400}}"#, .dataCorrupted, ["point", "y"], "1e400 is no value of Double."),
    (#"{"point":"x"}"#, .typeMismatch, ["point"], "Expected an object, found a string."),
    (#"{"tab":"nowhere"}"#, .dataCorrupted, ["tab"], "Tab"),
    (#"{"tab":{"nowhere":{}}}"#, .dataCorrupted, ["tab"], "Tab"),
    (#"{"tab":{"home":1}}"#, .typeMismatch, ["tab"], "Expected a string, found an object."),
    (#"{"tab":{"home":{},"fin\u00e9":{}}}"#, .typeMismatch, ["tab"], "Expected a string, found an object."),
    // A string is no object that names itself.
    (#"{"rename":{"a":{}}}"#, .typeMismatch, ["rename"], "Expected a string, found an object."),
    (#"{"tags":[{"a":{}}]}"#, .typeMismatch, ["tags", "0"], "Expected a string, found an object."),
    (
      #"{"mixed":{"_0":1,"label":{"a":{}}}}"#, .typeMismatch, ["mixed", "label"], "Expected a string, found an object."
    ),
    // Deep inside.
    (#"{"screen":{"list":[1,"2"]}}"#, .typeMismatch, ["screen", "list", "1"], "Expected an integer, found a string."),
    (
      #"{"screen":{"_0":{"detail":{"id":1,"title":2}}}}"#, .typeMismatch, ["screen", "_0", "detail", "title"],
      "a string"
    ),
    (#"{"screen":"list"}"#, .keyNotFound, ["screen"], #""_0""#),
    (#"{"screen":"nowhere"}"#, .typeMismatch, ["screen"], "found a string"),
    (#"{"screen":{"nested":{"_0":"pair","level":1}}}"#, .keyNotFound, ["screen", "nested", "_0"], #""_0""#),
  ]

  @Test("what is no action is refused, with the place and the reason", arguments: refused)
  func otherJSON_isRefused(json: String, failure: Failure, path: [String], reason: String) throws {
    try expectFailure(of: JSONElement(parsing: json), failure, path, reason)
    let envelope = try JSONElement(parsing: #"{"a":\#(json),"t":"act"}"#)
    try expectFailure(of: #require(envelope["a"]), failure, path, reason)
  }

  private func expectFailure(of json: JSONElement, _ failure: Failure, _ path: [String], _ reason: String) throws {
    let error = #expect(throws: DecodingError.self) { try ActionDecoder.decode(Action.self, from: json) }
    let (kind, context) = try Self.parts(of: #require(error))
    #expect(kind == failure)
    #expect(context.codingPath.map(\.stringValue) == path)
    #expect(context.debugDescription.contains(reason), "\(context.debugDescription)")
  }

  private static func parts(of error: DecodingError) -> (Failure, DecodingError.Context) {
    switch error {
    case .typeMismatch(_, let context): (.typeMismatch, context)
    case .valueNotFound(_, let context): (.valueNotFound, context)
    case .keyNotFound(_, let context): (.keyNotFound, context)
    case .dataCorrupted(let context): (.dataCorrupted, context)
    @unknown default: preconditionFailure("a new kind of DecodingError")
    }
  }

  // MARK: Enums with raw values

  @Test(
    "a case of a string enum may be written as the others",
    arguments: [#""home""#, #"{"home":{}}"#, #"{"\u0068ome":{ }}"#])
  func rawString_isDecoded(json: String) throws {
    #expect(try ActionDecoder.decode(Tab.self, from: JSONElement(parsing: json)) == .home)
  }

  @Test(
    "and in no other way",
    arguments: [
      #""nowhere""#, #"{"nowhere":{}}"#, #"{"home":null}"#, #"{"home":1}"#, #"{"home":[]}"#, #"{"home":{"a":1}}"#, "{}",
      #"{"home":{},"x":{}}"#, #"["home"]"#, "1", "null", "true",
    ])
  func otherRawString_isRefused(json: String) {
    #expect(throws: DecodingError.self) { try ActionDecoder.decode(Tab.self, from: JSONElement(parsing: json)) }
  }

  @Test("an enum with numbers is decoded from them alone")
  func rawNumber_isDecoded() throws {
    #expect(try ActionDecoder.decode(Level.self, from: JSONElement(parsing: "-3")) == .high)
    for json in ["2", #""low""#, #"{"low":{}}"#, #"{"1":{}}"#] {
      #expect(throws: DecodingError.self) { try ActionDecoder.decode(Level.self, from: JSONElement(parsing: json)) }
    }
  }

  // MARK: Names that no case has

  private static func unknownCase<T: Decodable>(of type: T.Type, in json: String) throws -> ActionDecoder.UnknownCase? {
    ActionDecoder.unknownCase(of: type, in: try JSONElement(parsing: json))
  }

  @Test("a name that no case has is told, with those that there are", arguments: [#""incr""#, #"{"incr":{"_0":1}}"#])
  func unknownCase_isTold(json: String) throws {
    let unknown = try #require(try Self.unknownCase(of: Action.self, in: json))
    #expect(unknown.name == "incr")
    #expect(unknown.known.prefix(3) == ["increment", "select", "rename"])
    #expect(unknown.known.count == 18)
    #expect(try Self.unknownCase(of: Tab.self, in: json)?.known.contains("fin\u{e9}") == true)
  }

  @Test("a long name is cut short")
  func unknownCase_withALongName_isCutShort() throws {
    let unknown = try Self.unknownCase(of: Action.self, in: "\"\(String(repeating: "x", count: 65))\"")
    #expect(unknown?.name == String(repeating: "x", count: 64) + "…")
  }

  @Test("a name of few characters and many scalars is cut short as well")
  func unknownCase_withOneLongCharacter_isCutShort() throws {
    let unknown = try Self.unknownCase(of: Action.self, in: "\"x\(String(repeating: "\u{FE0F}", count: 80))\"")
    #expect(unknown?.name.unicodeScalars.count == 65)
  }

  @Test("a name that is too long or not Stream-Safe is shown to no type", arguments: ["NAME", "{NAME:{}}"])
  func unsafeName_isRefused(json: String) throws {
    for name in [String(repeating: "x", count: 257), "x" + String(repeating: "\u{301}", count: 31)] {
      let element = try JSONElement(parsing: json.replacing("NAME", with: "\"\(name)\""))
      #expect(throws: DecodingError.self) { try ActionDecoder.decode(Word.self, from: element) }
      #expect(ActionDecoder.unknownCase(of: Trusting.self, in: element) == nil)
    }
    let longest = try JSONElement(parsing: json.replacing("NAME", with: "\"\(String(repeating: "x", count: 256))\""))
    #expect(throws: Never.self) { try ActionDecoder.decode(Word.self, from: longest) }
  }

  /// An action that takes any name, as a dictionary's key or as a text.
  private struct Word: Decodable {
    init(from decoder: any Decoder) throws {
      if (try? decoder.singleValueContainer().decode(String.self)) != nil { return }
      _ = try decoder.singleValueContainer().decode([String: [String: Int]].self)
    }
  }

  @Test("a text within an action, or a key, that is not Stream-Safe is named by its place")
  func unsafeText_isRefused() throws {
    let unsafe = "x" + String(repeating: "\u{301}", count: 31)
    for (json, place) in [
      (#"{"a":{"b":["","\#(unsafe)"]}}"#, ["a", "b", "1"]), (#"{"a":{"\#(unsafe)":1}}"#, ["a", unsafe]),
    ] {
      let error = #expect(throws: DecodingError.self) {
        try ActionDecoder.decode(Word.self, from: JSONElement(parsing: json))
      }
      guard case .dataCorrupted(let context)? = error else { throw MessageError("\(String(describing: error))") }
      #expect(context.codingPath.map(\.stringValue).elementsEqual(place, by: haveSameUTF8))
      #expect(context.debugDescription.contains("more than 30 combining marks"))
    }
  }

  /// Counts on the one key that an object of a client has.
  private enum Trusting: Decodable {
    case named(String)

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      self = .named(try container.decode(String.self, forKey: container.allKeys[0]))
    }
  }

  @Test("an enum that is decoded by hand is asked with the client's key")
  func unknownCase_ofWhatCountsOnAKey_isNotKnown() throws {
    #expect(try Self.unknownCase(of: Trusting.self, in: #"{"size":1}"#) == nil)
  }

  private enum ByHand: Decodable {
    case small, large(Int)

    enum CodingKeys: CodingKey { case kind, size }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self =
        try container.decode(String.self, forKey: .kind) == "small"
        ? .small : .large(container.decode(Int.self, forKey: .size))
    }
  }

  @Test("what has the name of a case, or no name, or a type whose names are not known, is no unknown case")
  func otherFailures_areNoUnknownCases() throws {
    for json in [#"{"select":"1"}"#, #""select""#, "1", "{}", #"{"a":1,"b":2}"#, #"["a"]"#, "null"] {
      #expect(try Self.unknownCase(of: Action.self, in: json) == nil, "\(json)")
    }
    #expect(try Self.unknownCase(of: ByHand.self, in: #"{"knid":"small"}"#) == nil)
    #expect(try Self.unknownCase(of: Filter.self, in: #"{"txt":"a"}"#) == nil)
    #expect(try Self.unknownCase(of: Level.self, in: #""a""#) == nil)
    #expect(try Self.unknownCase(of: String.self, in: #""a""#) == nil)
  }

  // MARK: Values

  @Test("a value that is no action may have any number of keys")
  func value_isDecoded() throws {
    let json = try JSONElement(parsing: #"{"text":"a","limit":2,"more":3}"#)
    #expect(try ActionDecoder.decodeValue(Filter.self, from: json) == Filter(text: "a", limit: 2))
    #expect(try ActionDecoder.decodeValue(Filter.self, from: .emptyObject) == Filter())
    #expect(try ActionDecoder.decodeValue(Action.self, from: JSONElement(parsing: #""increment""#)) == .increment)
    #expect(throws: DecodingError.self) { try ActionDecoder.decode(Filter.self, from: json) }
  }
}
