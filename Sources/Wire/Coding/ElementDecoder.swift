/// The value at which decoding began, and the form that is decoded.
///
/// Packed into 32 bits, so that a decoder fits into an existential without a box.
struct DecodingRoot {
  private let bits: UInt32

  init(index: Int, form: CodingForm) {
    bits = UInt32(truncatingIfNeeded: index) << 1 | (form == .state ? 1 : 0)
  }

  /// The value's index on the tape.
  ///
  /// It needs 31 bits only: a text has at most 2^32 bytes, and each token but the last takes at least two, one of them
  /// punctuation.
  var index: Int { Int(bits >> 1) }
  var form: CodingForm { bits & 1 == 1 ? .state : .wire }
}

/// The `Decoder` over a ``JSONElement``.
///
/// It keeps no coding path. An error works its path out from the value's place on the tape.
struct ElementDecoder: Decoder {
  private let document: JSONDocument
  private let index: UInt32
  let root: DecodingRoot
  /// The type being decoded, which decides whether a short form is allowed.
  let type: any Any.Type

  init(element: JSONElement, root: DecodingRoot, type: any Any.Type) {
    document = element.document
    index = UInt32(truncatingIfNeeded: element.index)
    self.root = root
    self.type = type
  }

  var element: JSONElement { JSONElement(document: document, index: Int(index)) }

  var codingPath: [any CodingKey] { element.path(from: root) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy keys: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch element.kind {
    case .object:
      KeyedDecodingContainer(ElementKeyedContainer<Key>(element: element, root: root, form: .object))
    // Not for a dictionary: its keys accept any string, so the string would pass for the name of a case.
    case .string where keys != Capturer.dictionaryKey && element.string.map(Key.knows) == true:
      KeyedDecodingContainer(ElementKeyedContainer<Key>(element: element, root: root, form: .caseName))
    default:
      throw mismatch("an object")
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard element.kind == .array else { throw mismatch("an array") }
    return ElementUnkeyedContainer(element: element, root: root)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func mismatch(_ expected: String) -> DecodingError {
    element.mismatch(type, expected: expected, root: root)
  }
}

extension ElementDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { element.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try require(element.bool, "a boolean") }
  func decode(_ type: Double.Type) throws -> Double { try require(element.double ?? nonFinite(), "a number") }
  func decode(_ type: Float.Type) throws -> Float { try require(element.float ?? nonFinite(), "a number") }
  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

  /// Reads a string; the raw value of a `String` enum may also be written as a case, `{"x":{}}`.
  ///
  /// Only such an enum asks for its string here: a plain `String` is decoded by the container that holds it.
  func decode(_ type: String.Type) throws -> String {
    if let string = element.string { return string }
    if element.kind == .object, self.type is any RawRepresentable.Type, let name = element.payloadlessCase {
      return name
    }
    throw mismatch("a string")
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // Not a cast, for which the runtime would look up the type of an optional each time.
    if type == String.self, let string = element.string { return unsafeBitCast(string, to: type) }
    if root.form == .wire, let form = StandardForm(type) { return try standardValue(type, form) }
    return try T(from: ElementDecoder(element: element, root: root, type: type))
  }

  private func standardValue<T>(_ type: T.Type, _ form: StandardForm) throws -> T {
    // A decimal may also be written as a number, whose digits are exact.
    let isNumber = form == .decimal && element.kind == .number
    guard let string = isNumber ? element.source : element.string else { throw mismatch("a string") }
    if let value = form.value(of: string) as? T { return value }
    throw DecodingError.dataCorrupted(
      .init(codingPath: codingPath, debugDescription: "\"\(string)\" is no \(form.rawValue)."))
  }

  /// The infinities and NaN, which a state holds as strings; nil in the form for clients, and for any other string.
  private func nonFinite<T: BinaryFloatingPoint & LosslessStringConvertible>() -> T? {
    guard root.form == .state, let text = element.string, let number = T(text), !number.isFinite else { return nil }
    // A text such as `1e400` is no infinity.
    return number.isNaN || text == "inf" || text == "-inf" ? number : nil
  }

  private func integer<T: FixedWidthInteger>() throws -> T { try require(element.integer(), "an integer") }

  /// The value if it is not nil; otherwise throws an error that says what was expected.
  private func require<T>(_ value: T?, _ expected: String) throws -> T {
    if let value { return value }
    guard element.kind == .number, T.self != Bool.self else {
      throw element.mismatch(T.self, expected: expected, root: root)
    }
    let reason = "\(element.source) is no value of \(T.self)."
    throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
  }
}

extension JSONElement {
  /// The name `x` if this is `{"x":{}}`; nil otherwise.
  fileprivate var payloadlessCase: String? {
    guard count == 1 else { return nil }
    let value = JSONElement(document: document, index: index + 2)
    return value.kind == .object && value.count == 0 ? JSONElement(document: document, index: index + 1).string : nil
  }

  func mismatch(_ type: any Any.Type, expected: String, root: DecodingRoot) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: path(from: root), debugDescription: "Expected \(expected), found \(kind.rawValue).")
    return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  /// How many elements and members a path passes: a type that tries what a value can be makes an error for each element of an array.
  private static let longestSearch = 256

  /// The keys and indices that lead from the value at `root` to this one; `…` stands for the rest where that is long.
  func path(from root: DecodingRoot) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var passed = 0
    guard root.index < document.tape.count else { return path }
    var container = JSONElement(document: document, index: root.index)
    while container.index < index, index < container.next {
      var part = container.index + 1
      var number = 0
      let isObject = container.kind == .object
      while part < index, Int(document.tape[isObject ? part + 1 : part].next) <= index {
        part = Int(document.tape[isObject ? part + 1 : part].next)
        number += 1
        passed += 1
        guard passed < Self.longestSearch else { return path + [WireKey("…")] }
      }
      let value = JSONElement(document: document, index: isObject ? part + 1 : part)
      path.append(
        isObject ? WireKey(JSONElement(document: document, index: part).string ?? "") : WireKey(index: number))
      container = value
      if index < value.index { break }
    }
    return path
  }
}
