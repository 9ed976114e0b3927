/// What is to be done when, in ticks of four milliseconds.
struct Agenda {
  private static let tick = 4
  private var entries: [Int: [Int]] = [:]
  private var done = 0

  /// - Parameters:
  ///   - id: of what is to be looked at.
  ///   - time: when, in milliseconds.
  mutating func add(_ id: Int, at time: Int) { entries[max(time / Self.tick, done + 1), default: []].append(id) }

  /// What is due; some may be there several times.
  mutating func take(at now: Int) -> [Int] {
    let last = now / Self.tick
    guard last > done else { return [] }
    var due: [Int] = []
    if entries.isEmpty {
      done = last
    } else {
      while done < last {
        done += 1
        if let ids = entries.removeValue(forKey: done) { due += ids }
      }
    }
    return due
  }

  /// Milliseconds to wait at most.
  var pause: Int { entries.isEmpty ? 50 : Self.tick }
}
