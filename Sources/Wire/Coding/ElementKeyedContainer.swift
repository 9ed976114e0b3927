/// The keyed container over an object, or over a short form that stands for one.
struct ElementKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// How the element is read as an object.
  enum Form {
    /// An object, read as it stands.
    case object
    /// A string that names a case without payload: read as `{"x":{}}`, of which only the key can be asked.
    case caseName
    /// The single unlabelled payload of a case, read as if it were in an object under `_0`; the element may also be an
    /// object without a label of the case.
    case payload
    /// The empty payload of a case that is named by a string.
    case noPayload
  }

  let element: JSONElement
  let root: DecodingRoot
  let form: Form
  /// The tape indices of the values of a large object, by key: without them, decoding a dictionary would take quadratic
  /// time.
  private let index: [ExactString: Int]?

  init(element: JSONElement, root: DecodingRoot, form: Form) {
    self.element = element
    self.root = root
    self.form = form
    guard element.count > 16 else {
      index = nil
      return
    }
    var index: [ExactString: Int] = [:]
    element.forEachMember { key, value in index[ExactString(key.string ?? "")] = value.index }
    self.index = index
  }

  var codingPath: [any CodingKey] { element.path(from: root) }

  var allKeys: [Key] {
    // An action has one key, the name of its case.
    guard form == .caseName || element.count == 1 else { return knownKeys }
    guard let name = form == .caseName ? element.string : element.firstKey, let key = Key(stringValue: name) else {
      return []
    }
    return [key]
  }

  /// Each key once, even if it occurs several times: a type that decodes the value of each would get the last value
  /// each time.
  private var knownKeys: [Key] {
    var keys: [Key] = []
    element.forEachMember { name, value in
      guard let name = name.string, member(name)?.index == value.index, let key = Key(stringValue: name) else { return }
      keys.append(key)
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { isCase(key) || find(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    if isCase(key) { throw missing(key) }
    if let value = find(key, orPayload: false) { return value.isNull }
    // `{"x":{}}` for a case with an optional payload means nil.
    guard let payload = payload(for: key) else { throw missing(key) }
    return payload.isNull || isEmptyObject(payload)
  }

  // MARK: Values

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key, type).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key, type).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key, type).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key, type).decode(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key, type).decode(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key, type).decode(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key, type).decode(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key, type).decode(type) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key, type).decode(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key, type).decode(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key, type).decode(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key, type).decode(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key, type).decode(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key, type).decode(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder(key, type).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key, type).decode(type) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key, type).decode(type) }

  // MARK: Nesting

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keys: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    if isCase(key) {
      return KeyedDecodingContainer(ElementKeyedContainer<NestedKey>(element: element, root: root, form: .noPayload))
    }
    let value = try require(key)
    guard let form = form(of: value, for: keys) else {
      throw value.mismatch([String: Any].self, expected: "an object", root: root)
    }
    return KeyedDecodingContainer(ElementKeyedContainer<NestedKey>(element: value, root: root, form: form))
  }

  /// How a value is read by a type that asks for a keyed container with `keys`.
  ///
  /// Nothing says that `keys` are the labels of an enum's case. But the first unlabelled payload has the key `_0` and
  /// the second `_1`; and a type that accepts any key accepts the empty one as well. A case with an unlabelled payload
  /// and labelled ones behind it looks like one with a single payload; its labelled payloads are missing in the short
  /// form.
  private func form<NestedKey: CodingKey>(
    of value: JSONElement, for keys: NestedKey.Type
  ) -> ElementKeyedContainer<NestedKey>.Form? {
    guard root.form == .wire else { return value.kind == .object ? .object : nil }
    guard value.kind == .object else {
      return NestedKey.knows(Self.payloadKey) && !NestedKey.knows(Self.secondPayloadKey) && !NestedKey.knows("")
        ? .payload : nil
    }
    var hasLabel = false
    value.forEachMember { name, _ in hasLabel = hasLabel || name.string.map(NestedKey.knows) == true }
    return hasLabel ? .object : .payload
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key, [Any].self).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    guard let value = member("super") else { throw missing(WireKey("super")) }
    if let trace = element.document.trace { trace.noteRead(value) }
    return ElementDecoder(element: value, root: root, type: Any.self)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key, Any.self) }

  // MARK: Members

  private static var payloadKey: String { "_0" }
  private static var secondPayloadKey: String { "_1" }

  private func decoder(_ key: Key, _ type: any Any.Type) throws -> ElementDecoder {
    ElementDecoder(element: try require(key), root: root, type: type)
  }

  private func require(_ key: Key) throws -> JSONElement {
    guard let value = find(key) else { throw missing(key) }
    return value
  }

  private func missing(_ key: some CodingKey) -> DecodingError {
    // A type that asks the name of a case for any other key is not an enum.
    if form == .caseName { return element.mismatch([String: Any].self, expected: "an object", root: root) }
    let reason = "No value for the key \"\(key.stringValue)\"."
    return .keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
  }

  private func isCase(_ key: Key) -> Bool { form == .caseName && element.isString(key.stringValue) }

  private func find(_ key: Key, orPayload: Bool = true) -> JSONElement? {
    let value = member(key.stringValue) ?? (orPayload ? payload(for: key) : nil)
    if let trace = element.document.trace, let value { trace.noteRead(value) }
    return value
  }

  private func member(_ key: String) -> JSONElement? {
    guard let index else { return element[key] }
    return index[ExactString(key)].map { JSONElement(document: element.document, index: $0) }
  }

  private func payload(for key: Key) -> JSONElement? {
    form == .payload && haveSameUTF8(key.stringValue, Self.payloadKey) && !Key.knows(Self.secondPayloadKey)
      ? element : nil
  }

  private func isEmptyObject(_ element: JSONElement) -> Bool { element.kind == .object && element.count == 0 }
}

extension CodingKey {
  /// Whether a key of this name exists.
  ///
  /// Not inlined: the runtime looks up the type of an optional key each time that a function with one in it is called.
  @inline(never)
  static func knows(_ name: String) -> Bool { Self(stringValue: name) != nil }
}
