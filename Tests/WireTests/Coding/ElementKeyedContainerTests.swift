import RibTestSupport
import Synchronization
import Testing

@testable import Wire

@Suite("Decoding objects")
struct ElementKeyedContainerTests {
  struct Options: Codable, Equatable {
    var name: String?
    var nested: Inner?
    var list: [Int]?
    struct Inner: Codable, Equatable { var a: Int? }
  }

  // MARK: A string is no object

  @Test(
    "a structure is not decoded from a string, whether it names a property or not",
    arguments: ["name", "nested", "list", "other", ""])
  func structure_isNotDecodedFromAString(string: String) throws {
    let json = try JSONElement(parsing: "[\"\(string)\"]")
    let error = #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue([Options].self, from: json) }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription == "Expected an object, found a string.")
    #expect(context.codingPath.map(\.stringValue) == ["0"])
  }

  @Test("a dictionary is not decoded from a string")
  func dictionary_isNotDecodedFromAString() throws {
    let json = try JSONElement(parsing: #""a""#)
    #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue([String: Int].self, from: json) }
    #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue([String: Options].self, from: json) }
    #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue([String: [String: Int]].self, from: json) }
    #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue([Int: Int?].self, from: json) }
  }

  @Test(
    "an object is decoded from nothing else",
    arguments: ["1", "true", "[]", "[1]", "null", #""name""#])
  func structure_isDecodedFromAnObject(json: String) throws {
    #expect(throws: DecodingError.self) {
      try ActionDecoder.decodeValue(Options.self, from: JSONElement(parsing: json))
    }
  }

  // MARK: Members

  static let optionals: [(json: String, value: Options)] = [
    ("{}", Options()), (#"{"name":null,"nested":null,"list":null}"#, Options()), (#"{"name":"a"}"#, Options(name: "a")),
    (#"{"nested":{}}"#, Options(nested: .init())), (#"{"nested":{"a":null}}"#, Options(nested: .init())),
    (#"{"nested":{"a":1},"list":[],"x":1}"#, Options(nested: .init(a: 1), list: [])),
    (#"{"name":"a","name":"b"}"#, Options(name: "b")), (#"{"n\u0061me":"a"}"#, Options(name: "a")),
  ]

  @Test("a missing property and a null one are none; of two, the last counts", arguments: optionals)
  func optional_isDecoded(json: String, value: Options) throws {
    #expect(try ActionDecoder.decodeValue(Options.self, from: JSONElement(parsing: json)) == value)
    // In a large object members are found another way.
    let more = (0..<40).map { #""more \#($0)":[{}]"# }.joined(separator: ",")
    let large = "{\(more),\(json.dropFirst())".replacing(",}", with: "}")
    #expect(try ActionDecoder.decodeValue(Options.self, from: JSONElement(parsing: large)) == value)
  }

  @Test("a dictionary has the object's members, with keys of either kind")
  func dictionary_isDecoded() throws {
    let json = try JSONElement(parsing: #"{"1":[1],"-2":[],"0":[2,3],"1":[4]}"#)
    #expect(try ActionDecoder.decodeValue([String: [Int]].self, from: json) == ["1": [4], "-2": [], "0": [2, 3]])
    #expect(try ActionDecoder.decodeValue([Int: [Int]].self, from: json) == [1: [4], -2: [], 0: [2, 3]])
    let other = try JSONElement(parsing: #"{"1":1,"a":2}"#)
    #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue([Int: Int].self, from: other) }
  }

  @Test("keys that only look the same are two, in a large object too", arguments: [0, 40])
  func equivalentKeys_areTwo(others: Int) throws {
    enum Keys: String, CodingKey { case composed = "\u{E9}", decomposed = "e\u{301}" }
    struct Both: Decodable, Equatable {
      var composed: Int
      var decomposed: Int?
      init(composed: Int, decomposed: Int?) { (self.composed, self.decomposed) = (composed, decomposed) }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        composed = try container.decode(Int.self, forKey: .composed)
        decomposed = try container.decodeIfPresent(Int.self, forKey: .decomposed)
      }
    }
    let more = (0..<others).map { ",\"\($0)\":0" }.joined()
    let both = try JSONElement(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2\(more)}")
    #expect(try ActionDecoder.decodeValue(Both.self, from: both) == Both(composed: 1, decomposed: 2))
    let one = try JSONElement(parsing: "{\"\u{E9}\":1\(more)}")
    #expect(try ActionDecoder.decodeValue(Both.self, from: one) == Both(composed: 1, decomposed: nil))
  }

  @Test("a dictionary with other keys is decoded from pairs")
  func dictionaryOfPairs_isDecoded() throws {
    let json = try JSONElement(parsing: #"["home",1,{"fin\u00e9":{}},2]"#)
    #expect(try ActionDecoder.decodeValue([Tab: Int].self, from: json) == [.home: 1, .finance: 2])
    #expect(throws: DecodingError.self) {
      try ActionDecoder.decodeValue([Tab: Int].self, from: JSONElement(parsing: #"["home"]"#))
    }
  }

  @Test("a dictionary of 8,000 takes a time in proportion to its size")
  func largeDictionary_isDecodedInTime() throws {
    let members = (0..<8000).map { "\"key \($0)\":\($0)" }.joined(separator: ",")
    let json = try JSONElement(parsing: "{\(members)}")
    var dictionary: [String: Int] = [:]
    // Key by key it would be 64 million comparisons, minutes in a debug build.
    let time = try ContinuousClock().measure { dictionary = try ActionDecoder.decodeValue(from: json) }
    #expect(dictionary.count == 8000)
    #expect(dictionary["key 7999"] == 7999)
    #expect(time < .seconds(5) || !TestRun.judgesTime)
  }

  /// A dictionary decodes a value for each key that there is.
  @Test("a key that comes often is decoded once")
  func repeatedKeys_areDecodedOnce() throws {
    let numbers = (0..<10_000).map(String.init).joined(separator: ",")
    let json = try JSONElement(parsing: "{\(String(repeating: #""a":0,"#, count: 5000))\"a\":[\(numbers)]}")
    var dictionary: [String: [Int]] = [:]
    let time = try ContinuousClock().measure { dictionary = try ActionDecoder.decodeValue(from: json) }
    #expect(dictionary == ["a": Array(0..<10_000)])
    #expect(time < .seconds(5) || !TestRun.judgesTime)
  }

  @Test("a key that comes twice at each depth is decoded once")
  func repeatedKeys_doNotMultiply() throws {
    let depth = 21
    let start = String(repeating: #"{"children":{"a":0,"a":"#, count: depth)
    let json = try JSONElement(parsing: "\(start){}\(String(repeating: "}}", count: depth))")
    let node = try ActionDecoder.decodeValue(CountedNode.self, from: json)
    #expect(node.depth == depth + 1)
    // Twice at each depth would be two million.
    #expect(CountedNode.count.load(ordering: .relaxed) == depth + 1)
  }

  /// A tree of which it is counted how many nodes were decoded.
  private struct CountedNode: Decodable {
    static let count = Atomic<Int>(0)
    let children: [String: CountedNode]?
    var depth: Int { 1 + (children?["a"]?.depth ?? 0) }

    private enum CodingKeys: CodingKey { case children }

    init(from decoder: any Decoder) throws {
      children = try decoder.container(keyedBy: CodingKeys.self)
        .decodeIfPresent([String: CountedNode].self, forKey: .children)
      Self.count.add(1, ordering: .relaxed)
    }
  }

  // MARK: Containers by hand

  enum Key: String, CodingKey { case a, b, missing, null }

  struct Probe: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      #expect(Set(container.allKeys) == [.a, .b, .null])
      #expect(container.contains(.a))
      #expect(container.contains(.null))
      #expect(!container.contains(.missing))
      #expect(try container.decodeNil(forKey: .null))
      #expect(try !container.decodeNil(forKey: .a))
      #expect(throws: DecodingError.self) { try container.decodeNil(forKey: .missing) }
      #expect(try container.decodeIfPresent(Int.self, forKey: .null) == nil)
      #expect(try container.decodeIfPresent(Int.self, forKey: .missing) == nil)
      #expect(try container.nestedContainer(keyedBy: Key.self, forKey: .a).decode(Int.self, forKey: .b) == 1)
      var list = try container.nestedUnkeyedContainer(forKey: .b)
      #expect(try list.decode(Int.self) == 2)
      #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: Key.self, forKey: .b) }
      #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: Key.self, forKey: .missing) }
      #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer(forKey: .a) }
      #expect(throws: DecodingError.self) { try container.superDecoder() }
      #expect(throws: DecodingError.self) { try container.superDecoder(forKey: .missing) }
      #expect(throws: DecodingError.self) { try decoder.unkeyedContainer() }
      let nested = try container.superDecoder(forKey: .a)
      #expect(nested.codingPath.map(\.stringValue) == ["a"])
    }
  }

  @Test("every question that a container is asked is answered", arguments: [0, 40])
  func container_answers(others: Int) throws {
    let more = (0..<others).map { ",\"\($0)\":0" }.joined()
    let json = #"{"a":{"b":1},"b":[2],"x":1,"null":null\#(more)}"#
    #expect(throws: Never.self) { try ActionDecoder.decodeValue(Probe.self, from: JSONElement(parsing: json)) }
  }

  @Test("what a class inherits is decoded below \"super\", or it is missing")
  func missingSuper_isNamed() throws {
    let error = #expect(throws: DecodingError.self) {
      try ActionDecoder.decodeValue(Dog.self, from: JSONElement(parsing: #"{"name":"Rex"}"#))
    }
    guard case .keyNotFound(let key, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(key.stringValue == "super")
  }

  // MARK: Keys that may be any

  /// A type that looks into a member of its own, and takes whatever keys are there.
  struct Attributes: Decodable, Equatable {
    struct AnyKey: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { return nil }
    }

    var values: [String: Int] = [:]

    init(_ values: [String: Int]) { self.values = values }

    init(from decoder: any Decoder) throws {
      let key = AnyKey(stringValue: "attributes")
      let outer = try decoder.container(keyedBy: AnyKey.self)
      guard let key else { return }
      let inner = try outer.nestedContainer(keyedBy: AnyKey.self, forKey: key)
      for key in inner.allKeys { values[key.stringValue] = try inner.decode(Int.self, forKey: key) }
    }
  }

  @Test(
    "an object with any keys is one",
    arguments: [("{}", [:]), (#"{"a":1,"b":2}"#, ["a": 1, "b": 2]), (#"{"_0":1}"#, ["_0": 1])])
  func anyKeys_areDecoded(json: String, values: [String: Int]) throws {
    let element = try JSONElement(parsing: #"{"attributes":\#(json)}"#)
    #expect(try ActionDecoder.decodeValue(Attributes.self, from: element) == Attributes(values))
    #expect(try StateCoder.decode(Attributes.self, from: element) == Attributes(values))
  }

  @Test("what is no object has no keys", arguments: ["5", "null", "[1,2]", "true", #""a""#])
  func anyKeys_areOfAnObject(json: String) throws {
    let element = try JSONElement(parsing: #"{"attributes":\#(json)}"#)
    #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue(Attributes.self, from: element) }
    #expect(throws: DecodingError.self) { try StateCoder.decode(Attributes.self, from: element) }
  }
}
