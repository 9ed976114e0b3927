import Testing

@testable import Wire

@Suite("Decoding arrays")
struct ElementUnkeyedContainerTests {
  /// Takes the elements of an array one by one.
  struct Probe: Decodable {
    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      #expect(list.count == 7)
      #expect(list.currentIndex == 0)
      #expect(try !list.decodeNil())
      #expect(throws: DecodingError.self) { try list.decode(String.self) }
      // What failed is still to come.
      #expect(list.currentIndex == 0)
      #expect(try list.decode([[Int]].self) == [[1], []])
      #expect(try list.decodeNil())
      #expect(list.currentIndex == 2)
      #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
      let object = try list.nestedContainer(keyedBy: Key.self)
      #expect(try object.decode(Int.self, forKey: .a) == 2)
      #expect(throws: DecodingError.self) { try list.nestedContainer(keyedBy: Key.self) }
      var nested = try list.nestedUnkeyedContainer()
      #expect(nested.count == 2)
      #expect(try nested.decode(Bool.self))
      #expect(try nested.decodeNil())
      #expect(nested.isAtEnd)
      #expect(try list.superDecoder().singleValueContainer().decode(String.self) == "x")
      #expect(try list.decodeIfPresent(Int.self) == nil)
      #expect(list.currentIndex == 6)
      #expect(!list.isAtEnd)
      #expect(try list.decode(Double.self) == 1.5)
      #expect(list.isAtEnd)
      #expect(list.currentIndex == 7)
      #expect(try list.decodeIfPresent(Int.self) == nil)
      try expectEnd { _ = try list.decodeNil() }
      try expectEnd { _ = try list.decode(Int.self) }
      try expectEnd { _ = try list.nestedUnkeyedContainer() }
      try expectEnd { _ = try list.nestedContainer(keyedBy: Key.self) }
      try expectEnd { _ = try list.superDecoder() }
    }

    enum Key: CodingKey { case a }

    private func expectEnd(_ body: () throws -> Void) throws {
      let error = #expect(throws: DecodingError.self) { try body() }
      guard case .valueNotFound(_, let context)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(context.codingPath.map(\.stringValue) == ["list", "7"])
      #expect(context.debugDescription == "The array has only 7 elements.")
    }
  }

  @Test("elements come one by one, and after the last there is an error and no trap")
  func elements_comeOneByOne() throws {
    let json = try JSONElement(parsing: #"{"list":[[[1],[]],null,{"a":2},[true,null],"x",null,1.5],"after":[9]}"#)
    struct Holder: Decodable { let list: Probe }
    #expect(throws: Never.self) { try ActionDecoder.decodeValue(Holder.self, from: json) }
  }

  @Test("nested arrays come out as they stand")
  func nestedArrays_areDecoded() throws {
    let json = try JSONElement(parsing: #"[[["a"],[]],[],[["b","c"]]]"#)
    #expect(try ActionDecoder.decodeValue([[[String]]].self, from: json) == [[["a"], []], [], [["b", "c"]]])
    let sparse = try JSONElement(parsing: "[[null,1],null]")
    #expect(try ActionDecoder.decodeValue([[Int?]?].self, from: sparse) == [[nil, 1], nil])
  }

  @Test(
    "an array is decoded from nothing else",
    arguments: ["{}", #"{"0":1}"#, "1", "null", #""a""#, "true"])
  func array_isDecodedFromAnArray(json: String) throws {
    #expect(throws: DecodingError.self) { try ActionDecoder.decodeValue([Int].self, from: JSONElement(parsing: json)) }
  }
}
