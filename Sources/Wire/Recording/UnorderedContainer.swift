/// A container whose elements come in another order in every process, and without keys: what JSON shall have of it.
protocol UnorderedContainer {
  /// Puts what was recorded of the container into an order.
  ///
  /// - Throws: ``RecordingError`` if JSON cannot express it.
  func order(_ recorder: Recorder) throws(RecordingError)
}

extension Set: UnorderedContainer {
  func order(_ recorder: Recorder) throws(RecordingError) { try recorder.sortElements() }
}

extension Dictionary: UnorderedContainer {
  /// Other keys than strings and integers make an array of keys and values in turn of a dictionary.
  func order(_ recorder: Recorder) throws(RecordingError) {
    guard recorder.form == .state else {
      throw RecordingError(
        "\(Self.self) has keys that are neither strings nor integers, and cannot be an object; make \(Key.self) conform to CodingKeyRepresentable"
      )
    }
    try recorder.sortByText(groupsOf: 2)
  }
}

/// Two elements of which neither is before the other by its kind alone.
struct NoSimpleOrder: Error {}

extension Recorded {
  /// Whether one simple value is before another of its kind.
  func precedes(_ other: Recorded) throws(NoSimpleOrder) -> Bool {
    switch (self, other) {
    case (.signed(let ours), .signed(let theirs)): ours < theirs
    case (.unsigned(let ours), .unsigned(let theirs)): ours < theirs
    case (.double(let ours), .double(let theirs)): ours.isTotallyOrdered(belowOrEqualTo: theirs) && ours != theirs
    case (.string(let ours), .string(let theirs)): ours.utf8.lexicographicallyPrecedes(theirs.utf8)
    default: throw NoSimpleOrder()
    }
  }
}
