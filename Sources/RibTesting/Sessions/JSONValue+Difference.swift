import Wire

extension JSONValue {
  /// The first place at which another value differs, as a JSON Pointer, and what both have there; nil if they are
  /// equal.
  func firstDifference(
    from other: JSONValue, at place: String = ""
  ) -> (place: String, ours: JSONValue?, theirs: JSONValue?)? {
    switch (self, other) {
    case (.object(let ours), .object(let theirs)):
      // Keys are looked up byte by byte; a set of strings would compare them with `==`.
      for key in (ours.keys + theirs.keys.filter { ours[$0] == nil }).sorted() {
        guard let our = ours[key], let their = theirs[key] else {
          return ("\(place)/\(key)", ours[key], theirs[key])
        }
        if let difference = our.firstDifference(from: their, at: "\(place)/\(key)") { return difference }
      }
      return nil
    case (.array(let ours), .array(let theirs)):
      for (index, (our, their)) in zip(ours, theirs).enumerated() {
        if let difference = our.firstDifference(from: their, at: "\(place)/\(index)") { return difference }
      }
      let index = min(ours.count, theirs.count)
      if ours.count == theirs.count { return nil }
      return ("\(place)/\(index)", index < ours.count ? ours[index] : nil, index < theirs.count ? theirs[index] : nil)
    default: return self == other ? nil : (place, self, other)
    }
  }
}
