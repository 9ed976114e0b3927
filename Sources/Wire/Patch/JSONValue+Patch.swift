extension JSONValue {
  /// Applies a patch, all of it or nothing (RFC 6902 §5).
  ///
  /// - Parameter operations: applied in this order.
  /// - Throws: ``PatchError/noSuchPlace(_:)`` for the first operation that does not apply; the value is then unchanged.
  public mutating func apply(_ operations: [PatchOperation]) throws(PatchError) {
    var patched = self
    for operation in operations { try patched.apply(operation) }
    self = patched
  }

  private mutating func apply(_ operation: PatchOperation) throws(PatchError) {
    switch operation {
    case .add(let place, let value):
      try edit(place, place.tokens[...]) { parent, key throws(PatchError) in try parent.add(value, at: key, place) }
    case .remove(let place):
      _ = try take(place)
    case .replace(let place, let value):
      guard !place.tokens.isEmpty else {
        self = value
        return
      }
      try edit(place, place.tokens[...]) { parent, key throws(PatchError) in
        _ = try parent.take(key, place)
        try parent.add(value, at: key, place)
      }
    case .move(let from, let to):
      // RFC 6902 §4.4: a value cannot move into itself.
      guard !from.contains(to) || to == from else { throw .noSuchPlace(to) }
      let value = try take(from)
      try apply(.add(to, value))
    }
  }

  private mutating func take(_ place: JSONPointer) throws(PatchError) -> JSONValue {
    var taken = JSONValue.null
    try edit(place, place.tokens[...]) { parent, key throws(PatchError) in taken = try parent.take(key, place) }
    return taken
  }

  /// Goes to the container that the last token is about, and lets `change` work on it in place.
  private mutating func edit(
    _ place: JSONPointer, _ tokens: ArraySlice<String>,
    _ change: (inout JSONValue, String) throws(PatchError) -> Void
  ) throws(PatchError) {
    guard let key = tokens.first else {
      // The pointer is empty, and means the whole value: in a box, the value becomes a member that `change` can add or
      // take.
      var box = JSONValue.object(["": self])
      try change(&box, "")
      guard let whole = box[""] else { throw .noSuchPlace(place) }
      self = whole
      return
    }
    guard tokens.count > 1 else { return try change(&self, key) }
    switch self {
    case .object(var members):
      guard var child = members[key] else { throw .noSuchPlace(place) }
      // Taken out of the object while it changes, so that nothing is copied.
      self = .null
      members[key] = .null
      defer { self = .object(members) }
      defer { members[key] = child }
      try child.edit(place, tokens.dropFirst(), change)
    case .array(var elements):
      guard let index = Self.index(key, below: elements.count) else { throw .noSuchPlace(place) }
      self = .null
      defer { self = .array(elements) }
      try elements[index].edit(place, tokens.dropFirst(), change)
    default:
      throw .noSuchPlace(place)
    }
  }

  private mutating func add(_ value: JSONValue, at key: String, _ place: JSONPointer) throws(PatchError) {
    switch self {
    case .object(var members):
      self = .null
      members[key] = value
      self = .object(members)
    case .array(var elements):
      // RFC 6901 §4: `-` is the place after the last element.
      guard let index = haveSameUTF8(key, "-") ? elements.count : Self.index(key, below: elements.count + 1) else {
        throw .noSuchPlace(place)
      }
      self = .null
      elements.insert(value, at: index)
      self = .array(elements)
    default:
      throw .noSuchPlace(place)
    }
  }

  private mutating func take(_ key: String, _ place: JSONPointer) throws(PatchError) -> JSONValue {
    switch self {
    case .object(var members):
      self = .null
      defer { self = .object(members) }
      guard let value = members.removeValue(forKey: key) else { throw .noSuchPlace(place) }
      return value
    case .array(var elements):
      guard let index = Self.index(key, below: elements.count) else { throw .noSuchPlace(place) }
      self = .null
      defer { self = .array(elements) }
      return elements.remove(at: index)
    default:
      throw .noSuchPlace(place)
    }
  }

  /// RFC 6901 §4: digits without a leading zero.
  private static func index(_ token: String, below limit: Int) -> Int? {
    guard haveSameUTF8(token, "0") || (token.utf8.first != UInt8(ascii: "0") && token.utf8.allSatisfy { 48...57 ~= $0 })
    else {
      return nil
    }
    return Int(token).flatMap { $0 < limit ? $0 : nil }
  }
}
