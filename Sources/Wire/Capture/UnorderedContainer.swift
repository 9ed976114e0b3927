/// A container without keys whose elements come in a different order in every process, so that JSON needs an order of
/// its own.
protocol UnorderedContainer {
  /// Sorts the captured elements.
  ///
  /// - Throws: ``CaptureError`` if JSON cannot express the container.
  func order(_ capturer: Capturer) throws(CaptureError)
}

extension Set: UnorderedContainer {
  func order(_ capturer: Capturer) throws(CaptureError) { try capturer.sortElements() }
}

extension Dictionary: UnorderedContainer {
  /// Sorts pairs: a dictionary whose keys are neither strings nor integers encodes itself as an array of keys and
  /// values in turn.
  func order(_ capturer: Capturer) throws(CaptureError) {
    guard capturer.form == .state else {
      throw CaptureError(
        "\(Self.self) has keys that are neither strings nor integers, and cannot be an object; make \(Key.self) conform to CodingKeyRepresentable"
      )
    }
    try capturer.sortByText(groupsOf: 2)
  }
}

/// Two elements that are not of one simple kind, so that only their JSON can order them.
struct NoSimpleOrder: Error {}

extension Captured {
  /// Whether a simple value comes before another one of its kind.
  func precedes(_ other: Captured) throws(NoSimpleOrder) -> Bool {
    switch (self, other) {
    case (.signed(let ours), .signed(let theirs)): ours < theirs
    case (.unsigned(let ours), .unsigned(let theirs)): ours < theirs
    case (.double(let ours), .double(let theirs)): ours.isTotallyOrdered(belowOrEqualTo: theirs) && ours != theirs
    case (.string(let ours), .string(let theirs)): ours.utf8.lexicographicallyPrecedes(theirs.utf8)
    default: throw NoSimpleOrder()
    }
  }
}
