/// The `Encoder` that notes what a value's `encode(to:)` says.
final class Recorder: Encoder {
  /// Which container the value asked for.
  enum Shape { case nothing, single, keyed, unkeyed }

  // No access to what is not checked for exclusivity lasts longer than an assignment or a lookup, nor calls user code.
  @exclusivity(unchecked) private(set) var shape = Shape.nothing
  /// Whether the keys are those that a `Dictionary` codes itself with.
  @exclusivity(unchecked) private var isDictionary = false
  /// Whether a key may be used twice: a dictionary that writes the object alone does not.
  @exclusivity(unchecked) private var mayRepeatKeys = false
  /// Where the member of each key is, once there are too many to look at each.
  @exclusivity(unchecked) private var places: [ExactString: Int] = [:]
  /// The properties of a keyed value; the elements of an unkeyed one, with empty keys; the one value of a single one.
  @exclusivity(unchecked) private(set) var fields: [Field] = []

  let form: CodingForm
  @exclusivity(unchecked) private var lastContainer: AnyCachedContainer?

  init(_ form: CodingForm) { self.form = form }

  /// Paths of errors are collected while they pass up; encoding itself needs none.
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
  /// - Throws: ``RecordingError``, whatever `encode(to:)` throws.
  func record<Value: Encodable>(_ value: Value) throws(RecordingError) {
    reset()
    if form == .wire, let string = try StandardForm.string(of: value) {
      shape = .single
      fields.append(Field(key: "", value: .string(string)))
      return
    }
    do {
      try value.encode(to: self)
    } catch {
      throw RecordingError(error)
    }
    // A dictionary asks for keys of the library's own, whoever passes the encoder on to it.
    if isDictionary { sortMembers() }
    if shape == .unkeyed, let container = value as? any UnorderedContainer { try container.order(self) }
  }

  /// Adds an element, or the one value.
  func append(_ value: Recorded) { fields.append(Field(key: "", value: value)) }

  /// Adds a member; of several with one key, the last stays, as RFC 8785 §3.1 allows only one.
  func append(_ value: Recorded, key: String) {
    if let place = place(of: key) {
      fields[place].value = value
    } else {
      if !places.isEmpty { places[ExactString(key)] = fields.count }
      fields.append(Field(key: key, value: value))
    }
  }

  /// The recorder for a container below a key: what is nested under one key is one container.
  func nest(_ key: String) -> Recorder {
    if let place = place(of: key), case .nested(let nested) = fields[place].value { return nested }
    let nested = Recorder(form)
    append(.nested(nested), key: key)
    return nested
  }

  /// How many members are looked at one by one.
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
    // Several containers write into one object, as those of a subclass and its superclass do.
    mayRepeatKeys = shape == .keyed || !isOfDictionary
    shape = .keyed
    if isOfDictionary { isDictionary = true }
    // A recorder is used for values of few types, and a container is costly to make.
    if let lastContainer, lastContainer.key == type {
      return unsafeDowncast(lastContainer, to: CachedContainer<Key>.self).container
    }
    let container = KeyedEncodingContainer(RecorderKeyedContainer<Key>(recorder: self))
    lastContainer = CachedContainer(container)
    return container
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    shape = .unkeyed
    return RecorderUnkeyedContainer(recorder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    shape = .single
    return RecorderSingleContainer(recorder: self)
  }

  // MARK: Containers without an order

  /// The type of the keys that a `Dictionary` codes itself with, which the library does not tell.
  static let dictionaryKey: any Any.Type = {
    let witness = KeyWitness()
    // The witness throws nothing.
    try? ["": 0].encode(to: witness)
    return witness.key
  }()

  /// Puts members into the order of their keys' UTF-8.
  func sortMembers() {
    fields.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Puts elements into an order that only the elements decide: numbers by value, strings by UTF-8, others by their JSON.
  func sortElements() throws(RecordingError) {
    if let sorted = try? fields.sorted(by: { (ours, theirs) throws(NoSimpleOrder) in
      try ours.value.precedes(theirs.value)
    }) {
      fields = sorted
    } else {
      try sortByText(groupsOf: 1)
    }
  }

  /// Puts groups of so many elements into the order of their JSON.
  func sortByText(groupsOf size: Int) throws(RecordingError) {
    let encoder = ViewEncoder(prefersShorter: false, form: form)
    var groups: [(elements: ArraySlice<Field>, text: [UInt8])] = []
    for start in stride(from: 0, to: fields.count, by: size) {
      let elements = fields[start..<min(start + size, fields.count)]
      var writer = JSONWriter()
      for element in elements { try element.value.write(into: &writer, using: encoder) }
      groups.append((elements, writer.bytes))
    }
    groups.sort { $0.text.lexicographicallyPrecedes($1.text) }
    fields = groups.flatMap(\.elements)
  }
}

/// A container that is kept for the next value with the same keys.
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

/// Learns which keys a value asks for.
private final class KeyWitness: Encoder {
  private(set) var key: any Any.Type = Never.self
  private let recorder = Recorder(.wire)
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    key = type
    return KeyedEncodingContainer(RecorderKeyedContainer<Key>(recorder: recorder))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { recorder.unkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { recorder.singleValueContainer() }
}
