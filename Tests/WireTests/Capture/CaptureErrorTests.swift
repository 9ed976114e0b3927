import Testing

@testable import Wire

@Suite("What cannot be part of a view")
struct CaptureErrorTests {
  @Test("an error says where and why")
  func error_describesItself() {
    let error = CaptureError("nan is no JSON number")
    #expect(error.description == "nan is no JSON number")
    #expect(error.below("0").below("rows").description == "rows.0: nan is no JSON number")
    #expect(error.below("0").below("rows").path == ["rows", "0"])
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let path: [String]
    let reason: String
    let write: @Sendable (inout JSONWriter) throws(CaptureError) -> Void

    init(_ path: [String], _ reason: String, _ make: @escaping @Sendable () -> any Encodable & Sendable) {
      testDescription = "\(reason) at \(path)"
      self.path = path
      self.reason = reason
      write = { json throws(CaptureError) in try ViewEncoder().write(make(), into: &json) }
    }
  }

  enum Shape: Encodable { case circle(radius: Double), scaled(Float) }

  struct Thrower: Encodable {
    struct Failure: Error, CustomStringConvertible { let description = "no way" }
    var path: [String]?
    func encode(to encoder: any Encoder) throws {
      guard let path else { throw Failure() }
      let context = EncodingError.Context(codingPath: path.map { WireKey($0) }, debugDescription: "not this one")
      throw EncodingError.invalidValue(self, context)
    }
  }

  struct NestedByHand: Encodable {
    enum Key: CodingKey { case a, b }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var list = container.nestedUnkeyedContainer(forKey: .a)
      try list.encode(1)
      var object = list.nestedContainer(keyedBy: Key.self)
      try object.encode(Float.infinity, forKey: .b)
    }
  }

  static let rows: [Row] = [
    Row([], "nan is no JSON number") { Double.nan }, Row([], "inf is no JSON number") { Float.infinity },
    Row(["y"], "-inf is no JSON number") { ActionDecoderTests.Point(x: 1, y: -.infinity) },
    Row(["first", "1"], "inf is no JSON number") { Pair(first: [1, Double.infinity], second: 1) },
    Row(["first"], "nan is no JSON number") { Pair(first: Double?.some(.nan), second: 1) },
    Row(["second", "a"], "nan is no JSON number") { Pair(first: 1, second: ["a": Float.nan]) },
    Row(["0", "1", "0"], "nan is no JSON number") { [[[], [Double.nan]]] },
    Row(["circle", "radius"], "inf is no JSON number") { Shape.circle(radius: .infinity) },
    Row(["1", "scaled", "_0"], "nan is no JSON number") { [Shape.scaled(1), .scaled(.nan)] },
    Row(["first", "a", "1", "b"], "inf is no JSON number") { ["first": NestedByHand()] },
    Row(["0"], "no way") { [Thrower()] }, Row(["0", "x", "1"], "not this one") { [Thrower(path: ["x", "1"])] },
  ]

  @Test("what JSON cannot say is an error that leads to it, and nothing is written", arguments: rows)
  func inexpressibleValue_isRefused(row: Row) throws {
    var json = JSONWriter()
    json.beginArray()
    json.integer(1)
    let error = #expect(throws: CaptureError.self) { try row.write(&json) }
    #expect(error?.path == row.path)
    #expect(error?.reason == row.reason)
    #expect(json.text == "[1")
  }
}
