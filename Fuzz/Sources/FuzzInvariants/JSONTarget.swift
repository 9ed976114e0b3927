import Wire

// What is read and written is read as what is written as the same text: a large number may be a double in one text and
// an integer in the other, and keeps its digits. Every part of a text is a text of its own. A decoder sees the same
// values as the document has, and an encoder writes them.

extension FuzzTarget {
  /// JSON texts: reader, writer, and the containers of the decoder and of the encoder.
  static let json = FuzzTarget(name: "json") { bytes in
    var reader = JSONReader()
    guard let document = try? reader.read(bytes.span) else { return }
    let value = JSONValue(document.root)
    let text = value.text
    let again = try requireSuccess("\(text) is refused") { try JSONValue(parsing: text) }
    try require(again.text.utf8.elementsEqual(text.utf8), "\(text) is written as \(again.text)")
    let third = try requireSuccess("\(text) is refused") { try JSONValue(parsing: again.text) }
    try require(third == again, "\(text) is read in two ways")
    try requireParts(of: document.root)
    try requireSame(value, codedFrom: document.root)
  }

  /// A part's text is of the same value.
  private static func requireParts(of element: JSONElement) throws {
    let source = element.source
    let alone = try requireSuccess("the part \(source) is refused") { try JSONValue(parsing: source) }
    try require(alone == JSONValue(element), "the part \(source) is \(alone.text) alone")
    for part in element.elements { try requireParts(of: part) }
    try element.forEachMember { key, part in
      try require(key.isString(key.string ?? ""), "\(key.source) is not itself")
      try require(element[key.string ?? ""] != nil, "\(key.source) is not found")
      try requireParts(of: part)
    }
  }

  private static func requireSame(_ value: JSONValue, codedFrom element: JSONElement) throws {
    let decoded = try requireSuccess("\(element.source) is not decoded") {
      try StateCoder.decode(CodedJSON.self, from: element)
    }
    // The coder has doubles for whole numbers of more than 64 bits, and an integer for -0.
    try require(
      decoded.value.canonicalBytes == value.canonicalBytes, "\(value.text) is decoded as \(decoded.value.text)")
    let encoded = try requireSuccess("\(value.text) is not encoded") { try StateCoder.encode(decoded) }
    let again = try requireSuccess("what was encoded is refused") {
      try StateCoder.read(String(decoding: encoded, as: UTF8.self))
    }
    try require(
      JSONValue(again).canonicalBytes == value.canonicalBytes, "\(value.text) is encoded as \(again.source)")
  }
}

/// Any JSON, coded container by container.
struct CodedJSON: Codable {
  let value: JSONValue

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(_ value: JSONValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      value = .null
    } else if let bool = try? single.decode(Bool.self) {
      value = .bool(bool)
    } else if let integer = try? single.decode(Int64.self) {
      value = .integer(integer)
    } else if let string = try? single.decode(String.self) {
      // A number that JSON does not have is a string to this coder, so strings come first.
      value = .string(string)
    } else if let double = try? single.decode(Double.self) {
      value = .number(double)
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !list.isAtEnd { elements.append(try list.decode(CodedJSON.self).value) }
      value = .array(elements)
    } else if let container = try? decoder.container(keyedBy: Key.self) {
      var members = JSONObject()
      for key in container.allKeys {
        members[key.stringValue] = try container.decode(CodedJSON.self, forKey: key).value
      }
      value = .object(members)
    } else {
      // A number too large for a double.
      value = .null
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .array(let elements):
      var list = encoder.unkeyedContainer()
      for element in elements { try list.encode(CodedJSON(element)) }
    case .object(let members):
      var container = encoder.container(keyedBy: Key.self)
      for (key, value) in members { try container.encode(CodedJSON(value), forKey: Key(stringValue: key)) }
    default:
      var single = encoder.singleValueContainer()
      switch value {
      case .bool(let bool): try single.encode(bool)
      case .integer(let integer): try single.encode(integer)
      case .number(let double): try single.encode(double)
      case .string(let string): try single.encode(string)
      default: try single.encodeNil()
      }
    }
  }
}
