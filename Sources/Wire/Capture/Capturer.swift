/// An `Encoder` that captures what the `encode(to:)` of a value encodes.
final class Capturer: Encoder {
  /// Which container the value asked for.
  enum Shape { case nothing, single, keyed, unkeyed }

  // No check for exclusivity, as for a JSONDocument: one thread uses a capturer, and each access is a load, a store or
  // one call on the value in the property, which runs no code of the value being encoded.
  @exclusivity(unchecked) private(set) var shape = Shape.nothing
  /// Whether the value uses the keys with which a `Dictionary` encodes itself.
  @exclusivity(unchecked) private var isDictionary = false
  /// Whether a key may be encoded twice; a dictionary that is the object's only author repeats none, so its keys are
  /// not compared.
  @exclusivity(unchecked) private var mayRepeatKeys = false
  /// The index of each key's member, made once there are too many members to compare one by one.
  @exclusivity(unchecked) private var places: [ExactString: Int] = [:]
  /// The members of an object; the elements of an array, with empty keys; or one single value, with an empty key.
  @exclusivity(unchecked) private(set) var fields: [Field] = []

  let form: CodingForm
  /// How many levels are around the value.
  private let depth: Int
  @exclusivity(unchecked) private var lastContainer: AnyCachedContainer?

  init(_ form: CodingForm, depth: Int = 0) {
    self.form = form
    self.depth = depth
  }

  /// Always empty: an error collects its path while it passes up, so that encoding itself does without.
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Forgets the value and keeps the memory.
  func reset() {
    guard shape != .nothing || !fields.isEmpty else { return }
    shape = .nothing
    isDictionary = false
    mayRepeatKeys = false
    if !places.isEmpty { places = [:] }
    fields.removeAll(keepingCapacity: true)
  }

  /// Records a value.
  ///
  /// - Throws: ``CaptureError``, also for any other error that `encode(to:)` throws.
  func capture<Value: Encodable>(_ value: Value) throws(CaptureError) {
    reset()
    if form == .wire, let string = try StandardForm.string(of: value) {
      shape = .single
      fields.append(Field(key: "", value: .string(string)))
      return
    }
    do {
      try value.encode(to: self)
    } catch {
      throw CaptureError(error)
    }
    // Decided by the type of the keys, as a value may pass the encoder on to a dictionary in it.
    if isDictionary { sortMembers() }
    if shape == .unkeyed, let container = value as? any UnorderedContainer { try container.order(self) }
  }

  /// Appends an element, or the single value.
  func append(_ value: Captured) { fields.append(Field(key: "", value: value)) }

  /// Appends a member; a member with the same key is replaced, as RFC 8785 §3.1 allows a key only once.
  func append(_ value: Captured, key: String) {
    if let place = place(of: key) {
      fields[place].value = value
    } else {
      if !places.isEmpty { places[ExactString(key)] = fields.count }
      fields.append(Field(key: key, value: value))
    }
  }

  /// The capturer of the container nested under a key; containers nested under one key are one container.
  func nest(_ key: String) -> Capturer {
    if let place = place(of: key), case .nested(let nested) = fields[place].value { return nested }
    let nested = Capturer(form, depth: depth + 1)
    append(.nested(nested), key: key)
    return nested
  }

  /// The capturer of a container nested as the next element.
  func nest() -> Capturer {
    let nested = Capturer(form, depth: depth + 1)
    append(.nested(nested))
    return nested
  }

  /// The number of members up to which a key is looked up by comparing it with each.
  private static let scanLimit = 32

  private func place(of key: String) -> Int? {
    guard mayRepeatKeys else { return nil }
    if fields.count <= Self.scanLimit {
      let length = key.utf8.count
      return fields.firstIndex { $0.key.utf8.count == length && haveSameUTF8($0.key, key) }
    }
    if places.isEmpty {
      for (place, field) in fields.enumerated() { places[ExactString(field.key)] = place }
    }
    return places[ExactString(key)]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let isOfDictionary = type == Self.dictionaryKey
    // Several containers may write into one object, as a subclass and its superclass do.
    mayRepeatKeys = shape == .keyed || !isOfDictionary
    shape = .keyed
    if isOfDictionary { isDictionary = true }
    // A capturer is used for values of few types, and making a container takes time.
    if let lastContainer, lastContainer.key == type {
      return unsafeDowncast(lastContainer, to: CachedContainer<Key>.self).container
    }
    let container = KeyedEncodingContainer(CapturerKeyedContainer<Key>(capturer: self))
    lastContainer = CachedContainer(container)
    return container
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    shape = .unkeyed
    return CapturerUnkeyedContainer(capturer: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    shape = .single
    return CapturerSingleContainer(capturer: self)
  }

  // MARK: Containers without an order

  /// The type of the keys with which a `Dictionary` encodes itself: it is private to the standard library.
  static let dictionaryKey: any Any.Type = {
    let witness = KeyWitness()
    // Cannot fail: the witness throws nothing.
    try? ["": 0].encode(to: witness)
    return witness.key
  }()

  /// Sorts the members by the UTF-8 of their keys.
  func sortMembers() {
    fields.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Sorts elements in an order that depends on nothing but their values: numbers by value, strings by UTF-8, others by
  /// their JSON.
  func sortElements() throws(CaptureError) {
    if let sorted = try? fields.sorted(by: { (ours, theirs) throws(NoSimpleOrder) in
      try ours.value.precedes(theirs.value)
    }) {
      fields = sorted
    } else {
      try sortByText(groupsOf: 1)
    }
  }

  /// Sorts groups of so many elements by their JSON, which is kept: within each other, they would otherwise be written twice as often with
  /// each level.
  func sortByText(groupsOf size: Int) throws(CaptureError) {
    let encoder = try ViewEncoder(prefersShorter: false, form: form, depth: depth).below
    var groups: [(elements: ArraySlice<Field>, text: [UInt8])] = []
    for start in stride(from: 0, to: fields.count, by: size) {
      let elements = fields[start..<min(start + size, fields.count)]
      var text: [UInt8] = []
      for element in elements {
        var writer = JSONWriter()
        try element.value.write(into: &writer, using: encoder)
        if case .value(let box) = element.value { box.text = writer.bytes }
        text += writer.bytes + [UInt8(ascii: ",")]
      }
      groups.append((elements, text))
    }
    groups.sort { $0.text.lexicographicallyPrecedes($1.text) }
    fields = groups.flatMap(\.elements)
  }
}

/// A container that is kept, to be used again for the next value with the same type of keys.
private class AnyCachedContainer {
  let key: any Any.Type
  init(_ key: any Any.Type) { self.key = key }
}

private final class CachedContainer<Key: CodingKey>: AnyCachedContainer {
  let container: KeyedEncodingContainer<Key>

  init(_ container: KeyedEncodingContainer<Key>) {
    self.container = container
    super.init(Key.self)
  }
}

/// An encoder that only notes for which type of keys a value asks.
private final class KeyWitness: Encoder {
  private(set) var key: any Any.Type = Never.self
  private let capturer = Capturer(.wire)
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    key = type
    return KeyedEncodingContainer(CapturerKeyedContainer<Key>(capturer: capturer))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { capturer.unkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { capturer.singleValueContainer() }
}
