/// An array as its property holds it, whose elements need not be recorded to be compared.
protocol TypedArray {
  /// Writes the whole array, or its beginning if `json` is full.
  func writeElements(into json: inout JSONWriter, using encoder: ViewEncoder) throws(RecordingError)

  /// Writes the operations that make this array of `old`, which is of the same type.
  func writeDifference<Old>(
    fromAny old: Old, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(RecordingError)
}

extension Array: TypedArray where Element: Encodable {
  func writeElements(into json: inout JSONWriter, using encoder: ViewEncoder) throws(RecordingError) {
    json.beginArray()
    for (index, element) in enumerated() where !json.isFull {
      try locating("\(index)") { () throws(RecordingError) in
        if let simple = Recorded(simple: element) {
          try simple.write(into: &json, using: encoder)
        } else {
          try encoder.write(element, into: &json)
        }
      }
    }
    json.endArray()
  }

  /// Elements at both ends that have the same bits are left out as blocks of memory; of the rest, only those are looked
  /// into whose bits differ, unless some of them moved, came or went.
  func writeDifference<Old>(
    fromAny old: Old, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(RecordingError) {
    guard let old = identical(old, Self.self) else { preconditionFailure("\(Old.self) is not \(Self.self)") }
    let start = sameAtStart(old)
    let end = sameAtEnd(old, butNot: start)
    if old.count == count, let changed = changedInPlace(old, start..<(count - end)) {
      for index in changed {
        try patch.at(index) { patch throws(RecordingError) in
          try locating("\(index)") { () throws(RecordingError) in
            try encoder.writeDifference(from: old[index], to: self[index], into: &patch)
          }
        }
      }
      return
    }
    let difference = ElementDifference(
      old: old[start..<(old.count - end)].map { Recorded($0) }, new: self[start..<(count - end)].map { Recorded($0) },
      offset: start)
    try difference.write(into: &patch, using: encoder)
  }

  /// The places at which identified elements have other bits, or nil if some element is not where it was.
  private func changedInPlace(_ old: [Element], _ range: Range<Int>) -> [Int]? {
    guard let type = Element.self as? any Identifiable.Type else { return nil }
    let changed = range.filter { !haveSameBits(self[$0], old[$0]) }
    return Self.haveSameIDs(self, old, at: changed, type) ? changed : nil
  }

  private static func haveSameIDs<Identified: Identifiable>(
    _ ours: [Element], _ theirs: [Element], at places: [Int], _ type: Identified.Type
  ) -> Bool {
    places.allSatisfy { identical(ours[$0], type)?.id == identical(theirs[$0], type)?.id }
  }

  /// The number of elements with which both arrays begin, as far as their bits tell.
  private func sameAtStart(_ old: [Element]) -> Int {
    let shorter = Swift.min(count, old.count)
    var same = 0
    // Between two elements there may be padding, which ends a block that could go on.
    while same < shorter, haveSameBits(self[same], old[same]) {
      same += 1
      same +=
        withUnsafeBytes { ours in
          old.withUnsafeBytes { theirs in
            let rest = same * MemoryLayout<Element>.stride..<shorter * MemoryLayout<Element>.stride
            return commonPrefix(.init(rebasing: ours[rest]), .init(rebasing: theirs[rest]))
          }
        } / MemoryLayout<Element>.stride
    }
    return same
  }

  /// The number of elements with which both arrays end, as far as their bits tell, besides those at the start.
  private func sameAtEnd(_ old: [Element], butNot start: Int) -> Int {
    let shorter = Swift.min(count, old.count) - start
    var same = 0
    while same < shorter, haveSameBits(self[count - 1 - same], old[old.count - 1 - same]) {
      same += 1
      same +=
        withUnsafeBytes { ours in
          old.withUnsafeBytes { theirs in
            let rest = (shorter - same) * MemoryLayout<Element>.stride
            let (ourEnd, theirEnd) = (count - same, old.count - same)
            return commonSuffix(
              .init(rebasing: ours[..<(ourEnd * MemoryLayout<Element>.stride)].suffix(rest)),
              .init(rebasing: theirs[..<(theirEnd * MemoryLayout<Element>.stride)].suffix(rest)))
          }
        } / MemoryLayout<Element>.stride
    }
    return same
  }
}
