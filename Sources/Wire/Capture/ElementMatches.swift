/// Which element of the old array became which of the new one.
struct ElementMatches {
  /// For each new element, the index of its old element; nil if it has none.
  private(set) var origins: [Int?]
  /// For each new element, whether it is one of those that keep their order and are not moved.
  private(set) var stays: [Bool]
  /// For each old element, whether it has a match in the new array.
  private(set) var isKept: [Bool]

  /// Nothing matched.
  init(oldCount: Int, newCount: Int) {
    origins = Array(repeating: nil, count: newCount)
    stays = Array(repeating: false, count: newCount)
    isKept = Array(repeating: false, count: oldCount)
  }

  private mutating func match(_ origin: Int, _ place: Int) {
    origins[place] = origin
    isKept[origin] = true
  }

  /// Matches elements at equal indices.
  mutating func matchByPlace() {
    for place in 0..<min(isKept.count, origins.count) {
      match(place, place)
      stays[place] = true
    }
  }

  /// Matches elements with equal identities; if several are equal, the first with the first, and so on.
  mutating func match<Identity: Hashable>(_ old: [Identity], _ new: [Identity]) {
    var places: [Identity: Int] = [:]
    // For each old element, the index of the next one with the same identity.
    var next: [Int?] = Array(repeating: nil, count: old.count)
    for place in old.indices.reversed() { next[place] = places.updateValue(place, forKey: old[place]) }
    for place in new.indices {
      guard let origin = places[new[place]] else { continue }
      match(origin, place)
      places[new[place]] = next[origin]
    }
  }

  /// Finds the longest sequence of matched elements that kept their order.
  mutating func findStays() {
    // For each length, the place at which the rising sequence of that length ends whose last element is lowest:
    // patience sorting.
    var ends: [Int] = []
    var before: [Int?] = Array(repeating: nil, count: origins.count)
    for place in origins.indices {
      guard let origin = origins[place] else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if let end = origins[ends[middle]], end < origin { low = middle + 1 } else { high = middle }
      }
      before[place] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var last = ends.last
    while let place = last {
      stays[place] = true
      last = before[place]
    }
  }

  /// Matches the remaining elements between two that stay, in order, so that one replaces the other.
  mutating func matchBetweenStays() {
    var origin = 0
    var waiting: [Int] = []
    for place in origins.indices {
      if stays[place], let stay = origins[place] {
        pair(&waiting, origin..<stay)
        origin = stay + 1
      } else if origins[place] == nil {
        waiting.append(place)
      }
    }
    pair(&waiting, origin..<isKept.count)
  }

  private mutating func pair(_ waiting: inout [Int], _ range: Range<Int>) {
    for (place, origin) in zip(waiting, range.filter { !isKept[$0] }) {
      match(origin, place)
      stays[place] = true
    }
    waiting.removeAll(keepingCapacity: true)
  }
}

/// Counters of which prefix sums are asked again and again: a Fenwick tree.
struct RankedSlots {
  private var sums: [Int]

  init(count: Int) { sums = Array(repeating: 0, count: count + 1) }

  mutating func add(_ amount: Int, to slot: Int) {
    var index = slot + 1
    while index < sums.count {
      sums[index] += amount
      index += index & -index
    }
  }

  /// The sum of all slots up to and including this one.
  func count(through slot: Int) -> Int {
    var (sum, index) = (0, slot + 1)
    while index > 0 {
      sum += sums[index]
      index -= index & -index
    }
    return sum
  }
}
