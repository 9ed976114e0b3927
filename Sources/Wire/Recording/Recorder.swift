/// The `Encoder` that notes what a value's `encode(to:)` says.
final class Recorder: Encoder {
  /// Which container the value asked for.
  enum Shape { case nothing, single, keyed, unkeyed }

  private(set) var shape = Shape.nothing
  /// The properties of a keyed value; the elements of an unkeyed one, with empty keys; the one value of a single one.
  private(set) var fields: [Field] = []

  /// Paths of errors are collected while they pass up; encoding itself needs none.
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Forgets the value and keeps the memory.
  func reset() {
    shape = .nothing
    fields.removeAll(keepingCapacity: true)
  }

  /// Records a value.
  ///
  /// - Throws: ``RecordingError``, whatever `encode(to:)` throws.
  func record(_ value: some Encodable) throws(RecordingError) {
    reset()
    do {
      try value.encode(to: self)
    } catch {
      throw Self.wrap(error)
    }
  }

  /// Records a boxed value.
  func record(_ box: AnyEncodableBox) throws(RecordingError) {
    reset()
    do {
      try box.record(into: self)
    } catch {
      throw Self.wrap(error)
    }
  }

  private static func wrap(_ error: any Error) -> RecordingError {
    if let error = error as? RecordingError { return error }
    guard case EncodingError.invalidValue(_, let context) = error else { return RecordingError("\(error)") }
    return RecordingError(context.debugDescription, path: context.codingPath.map(\.stringValue))
  }

  func append(_ value: Recorded, key: String = "") {
    fields.append(Field(key: key, value: value))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    shape = .keyed
    return KeyedEncodingContainer(RecorderKeyedContainer<Key>(recorder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    shape = .unkeyed
    return RecorderUnkeyedContainer(recorder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    shape = .single
    return RecorderSingleContainer(recorder: self)
  }
}
