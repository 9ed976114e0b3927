/// The unkeyed container over an array.
struct ElementUnkeyedContainer: UnkeyedDecodingContainer {
  let element: JSONElement
  let root: DecodingRoot
  private(set) var currentIndex = 0
  /// Tape index of the next element.
  private var position: Int

  init(element: JSONElement, root: DecodingRoot) {
    self.element = element
    self.root = root
    position = element.index + 1
  }

  var codingPath: [any CodingKey] { element.path(from: root) }
  var count: Int? { element.count }
  var isAtEnd: Bool { currentIndex >= element.count }

  mutating func decodeNil() throws -> Bool {
    guard try decoder(Any?.self).decodeNil() else { return false }
    advance()
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try decoder(type).decode(type)
    advance()
    return value
  }

  mutating func nestedContainer<Key: CodingKey>(keyedBy keys: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let container = try decoder([String: Any].self).container(keyedBy: keys)
    advance()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try decoder([Any].self).unkeyedContainer()
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try decoder(Any.self)
    advance()
    return decoder
  }

  private func decoder(_ type: any Any.Type) throws -> ElementDecoder {
    guard !isAtEnd else {
      let path = codingPath + [WireKey(index: currentIndex)]
      throw DecodingError.valueNotFound(
        type, .init(codingPath: path, debugDescription: "The array has only \(element.count) elements."))
    }
    let value = JSONElement(document: element.document, index: position)
    if let trace = value.document.trace { trace.noteRead(value) }
    return ElementDecoder(element: value, root: root, type: type)
  }

  private mutating func advance() {
    position = JSONElement(document: element.document, index: position).next
    currentIndex += 1
  }
}
