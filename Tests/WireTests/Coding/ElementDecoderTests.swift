import Testing

@testable import Wire

@Suite("Decoding single values")
struct ElementDecoderTests {
  @Test("what Foundation's encoder writes is decoded to the same value", arguments: CodableSample.all)
  func foundationsJSON_isDecoded(sample: CodableSample) throws {
    #expect(try sample.isDecoded(sample.theirs()))
  }

  @Test("and what ours writes", arguments: CodableSample.all)
  func ourJSON_isDecoded(sample: CodableSample) throws {
    #expect(try sample.isDecoded(sample.ours()))
  }

  @Test("a number outside its type's range is none of its values")
  func number_isHeldToItsType() throws {
    try expectNoValue(of: Int8.self, in: "128", "-129", "1e3", "0.5")
    try expectNoValue(of: UInt8.self, in: "256", "-1", "25.6e1")
    try expectNoValue(of: Int16.self, in: "32768", "-32769")
    try expectNoValue(of: UInt16.self, in: "65536", "-1")
    try expectNoValue(of: Int32.self, in: "2147483648", "-2147483649")
    try expectNoValue(of: UInt32.self, in: "4294967296", "-1")
    try expectNoValue(of: Int64.self, in: "9223372036854775808", "-9223372036854775809", "9223372036854775808.0")
    try expectNoValue(of: UInt64.self, in: "18446744073709551616", "-1")
    try expectNoValue(of: Int.self, in: "9223372036854775808", "1.5")
    try expectNoValue(of: UInt.self, in: "18446744073709551616", "-0.5")
    try expectNoValue(of: Int128.self, in: "170141183460469231731687303715884105728", "1e400")
    try expectNoValue(of: UInt128.self, in: "340282366920938463463374607431768211456", "-1")
    try expectNoValue(of: Double.self, in: "1e400", "-1e400")
    try expectNoValue(of: Float.self, in: "1e39", "-3.5e38")
  }

  private func expectNoValue<Number: Decodable>(of type: Number.Type, in numbers: String...) throws {
    for number in numbers {
      let json = try JSONElement(parsing: #"{"a":[\#(number)]}"#)
      let error = #expect(throws: DecodingError.self) {
        try ActionDecoder.decodeValue([String: [Number]].self, from: json)
      }
      guard case .dataCorrupted(let context)? = error else {
        Issue.record("\(number) as \(type): \(String(describing: error))")
        continue
      }
      #expect(context.debugDescription == "\(number) is no value of \(type).")
      #expect(context.codingPath.map(\.stringValue) == ["a", "0"])
      #expect(context.codingPath.map(\.intValue) == [nil, 0])
    }
  }

  @Test("doubles and floats are exact to the bit")
  func floatingPoint_isExact() throws {
    let json = try JSONElement(parsing: "[-0,-0.0,0.1,1e22,5e-324]")
    let doubles = try ActionDecoder.decodeValue([Double].self, from: json)
    #expect(doubles.map(\.bitPattern) == [-0.0, -0.0, 0.1, 1e22, .leastNonzeroMagnitude].map(\.bitPattern))
    let float = try ActionDecoder.decodeValue(Float.self, from: JSONElement(parsing: "1.00000017881393432617187499"))
    #expect(float == 0x1.000002p0)
  }

  @Test("a type that looks at its path sees where it is")
  func codingPath_isKnownInside() throws {
    struct Place: Decodable {
      let path: [String]
      init(from decoder: any Decoder) throws {
        path = decoder.codingPath.map(\.stringValue)
        #expect(decoder.userInfo.isEmpty)
      }
    }
    let json = try JSONElement(parsing: #"{"x":[0,[[],[1,{"":[2,3]}]]],"y":{"a":{"b":4},"c":5}}"#)
    struct Probe: Decodable {
      let x: Pair
      let y: [String: Place]
      struct Pair: Decodable {
        let first: Place
        let second: Place
        let deepest: Place
        init(from decoder: any Decoder) throws {
          var container = try decoder.unkeyedContainer()
          first = try container.decode(Place.self)
          var nested = try container.nestedUnkeyedContainer()
          second = try nested.decode(Place.self)
          var inner = try nested.nestedUnkeyedContainer()
          _ = try inner.decode(Int.self)
          struct Key: CodingKey {
            var stringValue = ""
            var intValue: Int?
            init() {}
            init?(stringValue: String) {}
            init?(intValue: Int) { nil }
          }
          let object = try inner.nestedContainer(keyedBy: Key.self)
          var last = try object.nestedUnkeyedContainer(forKey: Key())
          _ = try last.decode(Int.self)
          deepest = try last.decode(Place.self)
          #expect(last.codingPath.map(\.stringValue) == ["x", "1", "1", "1", ""])
          #expect(object.codingPath.map(\.stringValue) == ["x", "1", "1", "1"])
        }
      }
    }
    let probe = try ActionDecoder.decodeValue(Probe.self, from: json)
    #expect(probe.x.first.path == ["x", "0"])
    #expect(probe.x.second.path == ["x", "1", "0"])
    #expect(probe.x.deepest.path == ["x", "1", "1", "1", "", "1"])
    #expect(probe.y["a"]?.path == ["y", "a"])
    #expect(probe.y["c"]?.path == ["y", "c"])
  }

  @Test("a path is counted from where decoding began")
  func codingPath_startsAtTheRoot() throws {
    let document = try JSONElement(parsing: #"{"before":[1,2],"a":{"b":[1,"x"]},"after":3}"#)
    let error = #expect(throws: DecodingError.self) {
      try ActionDecoder.decodeValue([String: [Int]].self, from: #require(document["a"]))
    }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["b", "1"])
  }
}
