import Foundation
import Wire

// What is decoded and encoded is decoded as the same value: its text is the same the second time.

extension FuzzTarget {
  /// Actions and values of types of every shape.
  static let decoding = FuzzTarget(name: "decoding") { bytes in
    var reader = JSONReader()
    guard let element = try? reader.read(bytes.span).root else { return }
    if let action = try? ActionDecoder.decode(Action.self, from: element) { try requireSame(action) }
    try requireSameIfDecoded(Everything.self, from: element)
    try requireSameIfDecoded([Double: Date].self, from: element)
    try requireSameIfDecoded([String: [Int: Float?]].self, from: element)
    try requireSameIfDecoded([UInt128].self, from: element)
  }

  enum Plain: String, Codable { case one, two = "zw\u{F6}lf" }

  indirect enum Action: Codable {
    case none
    case int(Int)
    case maybe(String?)
    case label(text: String?)
    case pair(Int8, UInt64)
    case mixed(Double, flag: Bool)
    case plain(Plain)
    case words([String])
    case counts([String: Int32])
    case everything(Everything)
    case inner(Action, Action?)
    case two(String?, flag: Bool)
    case twins(Int?, Int?)
  }

  struct Everything: Codable {
    var bool: Bool?
    var int: Int?
    var small: Int8?
    var unsigned: UInt64?
    var wide: Int128?
    var float: Float?
    var double: Double?
    var string: String?
    var date: Date?
    var data: Data?
    var url: URL?
    var decimal: Decimal?
    var plain: Plain?
    var list: [Everything?]?
    var set: Set<Int>?
    var byInt: [Int: String]?
    var byPlain: [Plain: Int]?
    var range: Range<Int>?
    var id: UUID?
  }

  private static func requireSameIfDecoded<Value: Codable>(_ type: Value.Type, from element: JSONElement) throws {
    if let value = try? ActionDecoder.decodeValue(type, from: element) { try requireSame(value) }
    guard let value = try? StateCoder.decode(type, from: element) else { return }
    let text = try requireSuccess("\(element.source) has no state as \(type)") { try StateCoder.encode(value) }
    let again = try requireSuccess("\(element.source) does not come back as \(type)") {
      try StateCoder.encode(StateCoder.decode(type, from: StateCoder.read(String(decoding: text, as: UTF8.self))))
    }
    try require(
      again == text, "\(String(decoding: text, as: UTF8.self)) comes back as \(String(decoding: again, as: UTF8.self))")
  }

  private static func requireSame<Value: Codable>(_ value: Value) throws {
    // Not everything that has a JSON to read has one to write: a dictionary with odd keys, a date without a year.
    guard let text = text(of: value) else { return }
    let again = try requireSuccess("\(text) is not decoded") {
      var reader = JSONReader()
      return try ActionDecoder.decodeValue(Value.self, from: reader.read(text).root)
    }
    try require(self.text(of: again) == text, "\(text) becomes \(self.text(of: again) ?? "nothing")")
  }

  private static func text(of value: some Encodable) -> String? {
    var json = JSONWriter()
    guard (try? ViewEncoder().write(value, into: &json)) != nil else { return nil }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
