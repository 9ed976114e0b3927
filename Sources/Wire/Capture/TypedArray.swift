/// An array that is compared and written as it is, without capturing each of its elements.
protocol TypedArray {
  /// Writes the whole array, or its beginning if `json` is full.
  func writeElements(into json: inout JSONWriter, using encoder: ViewEncoder) throws(CaptureError)

  /// Writes the operations that turn `old`, an array of the same type, into this one.
  func writeDifference<Old>(
    fromAny old: Old, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError)
}

extension Array: TypedArray where Element: Encodable {
  func writeElements(into json: inout JSONWriter, using encoder: ViewEncoder) throws(CaptureError) {
    json.beginArray()
    for (index, element) in enumerated() where !json.isFull {
      try locating("\(index)") { () throws(CaptureError) in
        if let simple = Captured(simple: element) {
          try simple.write(into: &json, using: encoder)
        } else {
          try encoder.write(element, into: &json)
        }
      }
    }
    json.endArray()
  }

  /// Writes the difference of what is between the elements that have the same bits at both ends.
  ///
  /// If all elements are identified and at their old places, only those whose bits differ are compared; otherwise all
  /// elements between the ends are matched.
  func writeDifference<Old>(
    fromAny old: Old, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    guard let old = identical(old, Self.self) else { preconditionFailure("\(Old.self) is not \(Self.self)") }
    let (start, end, changed) = withUnsafeBufferPointer { ours in
      old.withUnsafeBufferPointer { theirs in Self.compare(ElementBits(ours, theirs), ours.count, theirs.count) }
    }
    if let changed, Self.haveSameIDs(self, old, at: changed) {
      for index in changed {
        try patch.at(index) { patch throws(CaptureError) in
          try locating("\(index)") { () throws(CaptureError) in
            try encoder.writeDifference(from: old[index], to: self[index], into: &patch)
          }
        }
      }
      return
    }
    let difference = ElementDifference(
      old: old[start..<(old.count - end)].map { Captured($0) }, new: self[start..<(count - end)].map { Captured($0) },
      offset: start)
    try difference.write(into: &patch, using: encoder)
  }

  /// How many elements at the start and at the end have the same bits in both arrays; and, if the elements are
  /// identified and the arrays equally long, the indices in between at which the bits differ.
  private static func compare(
    _ bits: consuming ElementBits<Element>, _ ours: Int, _ theirs: Int
  ) -> (start: Int, end: Int, changed: [Int]?) {
    let start = bits.commonPrefix
    let end = bits.commonSuffix(atMost: Swift.min(ours, theirs) - start)
    let areComparable = ours == theirs && Element.self is any Identifiable.Type
    return (start, end, areComparable ? bits.differences(in: start..<(ours - end)) : nil)
  }

  /// Whether the elements at these indices are identified, and have the same ids in both arrays.
  private static func haveSameIDs(_ ours: [Element], _ theirs: [Element], at places: [Int]) -> Bool {
    guard let type = Element.self as? any Identifiable.Type else { return false }
    return haveSameIDs(ours, theirs, at: places, type)
  }

  private static func haveSameIDs<Identified: Identifiable>(
    _ ours: [Element], _ theirs: [Element], at places: [Int], _ type: Identified.Type
  ) -> Bool {
    places.allSatisfy { identical(ours[$0], type)?.id == identical(theirs[$0], type)?.id }
  }
}
