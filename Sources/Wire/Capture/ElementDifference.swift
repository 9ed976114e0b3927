// The elements of the old array are matched with those of the new one: by identity, by value, or by place. The longest
// sequence of matched elements that kept their order stays where it is. Old elements without a match are removed, from
// the back, so that the indices in front stay valid. Then, from the front, each new element is added, and each other
// matched one is moved behind its predecessor, which is in its final place by then: this takes the least number of
// moves. At last, matched elements that differ are changed, at their new indices.

/// The difference between two arrays, or between two parts of them that begin at the same index.
struct ElementDifference {
  private let old: ArraySlice<Captured>
  private let new: ArraySlice<Captured>
  /// The index in the array at which both parts begin.
  private let offset: Int

  init(old: [Captured], new: [Captured], offset: Int = 0) {
    self.old = old[...]
    self.new = new[...]
    self.offset = offset
  }

  private init(old: ArraySlice<Captured>, new: ArraySlice<Captured>, offset: Int) {
    self.old = old
    self.new = new
    self.offset = offset
  }

  /// Writes the operations that turn the old elements into the new ones.
  func write(into patch: inout PatchWriter, using encoder: ViewEncoder) throws(CaptureError) {
    let rest = try withoutCommonEnds(using: encoder)
    let matches = try rest.matches(using: encoder)
    rest.writeRemovals(matches, into: &patch)
    try rest.writeArrivals(matches, into: &patch, using: encoder)
    try rest.writeChanges(matches, into: &patch, using: encoder)
  }

  private func withoutCommonEnds(using encoder: ViewEncoder) throws(CaptureError) -> ElementDifference {
    var (old, new) = (old, new)
    while let ours = old.first, let theirs = new.first, try ours.isSame(as: theirs, using: encoder) {
      old.removeFirst()
      new.removeFirst()
    }
    while let ours = old.last, let theirs = new.last, try ours.isSame(as: theirs, using: encoder) {
      old.removeLast()
      new.removeLast()
    }
    return ElementDifference(
      old: ArraySlice(Array(old)), new: ArraySlice(Array(new)), offset: offset + old.startIndex - self.old.startIndex)
  }

  // MARK: Matching

  private func matches(using encoder: ViewEncoder) throws(CaptureError) -> ElementMatches {
    guard !old.isEmpty, !new.isEmpty else { return ElementMatches(oldCount: old.count, newCount: new.count) }
    var matches = ElementMatches(oldCount: old.count, newCount: new.count)
    guard let before = try identities(of: old, using: encoder), let after = try identities(of: new, using: encoder)
    else {
      matches.matchByPlace()
      return matches
    }
    matches.match(before, after)
    matches.findStays()
    // Simple values have no identity besides their place: what is left between two that stay is replaced in place.
    if case .id? = before.first { return matches }
    matches.matchBetweenStays()
    return matches
  }

  private func identities(
    of elements: ArraySlice<Captured>, using encoder: ViewEncoder
  ) throws(CaptureError) -> [ElementIdentity]? {
    var identities: [ElementIdentity] = []
    identities.reserveCapacity(elements.count)
    for element in elements {
      guard let identity = try ElementIdentity(element, using: encoder) else { return nil }
      identities.append(identity)
    }
    return identities
  }

  // MARK: Writing

  private func writeRemovals(_ matches: ElementMatches, into patch: inout PatchWriter) {
    for place in old.indices.reversed() where !matches.isKept[place] {
      patch.at(offset + place) { $0.remove() }
    }
  }

  private func writeArrivals(
    _ matches: ElementMatches, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    // Each old index is a slot: it counts the old element while that stays or waits there, and the elements put behind
    // it. Slot 0 is before the first element.
    var slots = RankedSlots(count: old.count + 1)
    for place in old.indices where matches.isKept[place] { slots.add(1, to: place + 1) }
    var predecessor = 0
    for (place, element) in new.enumerated() {
      guard let origin = matches.origins[place] else {
        let index = offset + slots.count(through: predecessor)
        try patch.at(index) { patch throws(CaptureError) in
          try patch.add { json throws(CaptureError) in
            try locating("\(offset + place)") { () throws(CaptureError) in
              try element.write(into: &json, using: encoder)
            }
          }
        }
        slots.add(1, to: predecessor)
        continue
      }
      if matches.stays[place] {
        predecessor = origin + 1
        continue
      }
      let from = offset + slots.count(through: origin)
      slots.add(-1, to: origin + 1)
      let index = offset + slots.count(through: predecessor)
      slots.add(1, to: predecessor)
      if index != from { patch.move(from: from, to: index) }
    }
  }

  private func writeChanges(
    _ matches: ElementMatches, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    for (place, element) in new.enumerated() {
      guard let origin = matches.origins[place], !old[origin].isSameLeaf(as: element) else { continue }
      try patch.at(offset + place) { patch throws(CaptureError) in
        try locating("\(offset + place)") { () throws(CaptureError) in
          try old[origin].writeDifference(to: element, into: &patch, using: encoder)
        }
      }
    }
  }
}

/// What an element of one array is recognised by in another.
enum ElementIdentity: Hashable {
  case null
  case bool(Bool)
  case integer(Int128)
  case bits(UInt64)
  case string(ExactString)
  /// The `id` of an `Identifiable` type.
  case id(AnyHashable)

  /// Nil if the element has nothing but its index to recognise it by.
  init?(_ element: Captured, using encoder: ViewEncoder) throws(CaptureError) {
    switch element {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .signed(let value): self = .integer(Int128(value))
    case .unsigned(let value): self = .integer(Int128(value))
    case .double(let value): self = .bits(value.bitPattern)
    case .float(let value): self = .bits(UInt64(value.bitPattern))
    case .wide(let value), .string(let value): self = .string(ExactString(value))
    case .nested: return nil
    case .value(let box):
      if let id = box.identity {
        self = .id(id)
      } else if let leaf = try encoder.leaf(of: box) {
        try self.init(leaf, using: encoder)
      } else {
        return nil
      }
    }
  }
}
