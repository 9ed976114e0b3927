/// What differs between two lists of a route's entries.
///
/// Most changes leave both ends of a list as they were, so that only the entries between these are looked up.
struct EntryChange {
  /// For each entry of the later list, its index in the earlier one; nil for a new entry.
  ///
  /// Without a meaning if there are duplicates.
  let origins: [Int?]
  /// For each entry of the earlier list, its index in the later one; nil for a removed entry.
  let destinations: [Int?]
  /// Whether entries of the later list are equal; then ``destinations`` has the first of these.
  let hasDuplicates: Bool
  /// Whether the lists are equal.
  let isNone: Bool

  /// The change from one list to another.
  ///
  /// - Parameters:
  ///   - old: the earlier list, whose entries are all different.
  ///   - new: the later list.
  init<Entry: Hashable>(from old: [Entry], to new: [Entry]) {
    let (prefix, suffix) = Self.equalEnds(old, new)
    let (oldMiddle, newMiddle) = (prefix..<old.count - suffix, prefix..<new.count - suffix)
    isNone = oldMiddle.isEmpty && newMiddle.isEmpty
    var indices: [Entry: Int] = [:]
    if !newMiddle.isEmpty { for index in oldMiddle { indices[old[index]] = index } }
    var origins: [Int?] = Array(0..<prefix)
    var destinations: [Int?] = Array(0..<prefix) + Array(repeating: nil, count: oldMiddle.count)
    var arrivals: Set<Entry> = []
    for index in newMiddle {
      let origin = indices[new[index]]
      origins.append(origin)
      if let origin { destinations[origin] = index } else { arrivals.insert(new[index]) }
    }
    let stayingCount = oldMiddle.count { destinations[$0] != nil }
    hasDuplicates =
      stayingCount + arrivals.count < newMiddle.count || Self.contain(old[..<prefix], arrivals)
      || Self.contain(old[oldMiddle.upperBound...], arrivals)
    origins += (oldMiddle.upperBound..<old.count).map { $0 }
    destinations += (newMiddle.upperBound..<new.count).map { $0 }
    self.origins = origins
    self.destinations = hasDuplicates ? Self.firstIndices(of: old, in: new) : destinations
  }

  private static func firstIndices<Entry: Hashable>(of entries: [Entry], in new: [Entry]) -> [Int?] {
    let indices = Dictionary(zip(new, new.indices)) { first, _ in first }
    return entries.map { indices[$0] }
  }

  /// How many entries are equal at the beginning of both lists, and how many of the others at the end.
  private static func equalEnds<Entry: Equatable>(_ old: [Entry], _ new: [Entry]) -> (prefix: Int, suffix: Int) {
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        let most = min(old.count, new.count)
        var prefix = 0
        while prefix < most, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < most - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] { suffix += 1 }
        return (prefix, suffix)
      }
    }
  }

  /// Whether some of the new entries are at one of the ends.
  private static func contain<Entry>(_ end: ArraySlice<Entry>, _ arrivals: Set<Entry>) -> Bool {
    // Few entries are compared with all sooner than all are looked up in a set.
    arrivals.count <= 8
      ? arrivals.contains { end.contains($0) }
      : end.contains { arrivals.contains($0) }
  }
}
