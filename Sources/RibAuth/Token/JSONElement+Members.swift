import Wire

extension JSONElement {
  /// Whether an object in this value, at any depth, has a member twice.
  ///
  /// One parser takes the first and another one the last (RFC 8259 §4), so such a text is ambiguous.
  var repeatsMembers: Bool {
    var keys: Set<ExactString> = []
    var repeats = false
    forEachMember { key, value in
      repeats = repeats || !keys.insert(ExactString(key.string ?? "")).inserted || value.repeatsMembers
    }
    return repeats || elements.contains { $0.repeatsMembers }
  }

  /// The value of a claim.
  ///
  /// - Parameter path: the name of a member; if there is no member of that name, a path of names with dots between them.
  /// - Returns: nil if there is no such claim.
  func claim(_ path: String) -> JSONElement? {
    if let value = self[path] { return value }
    var value: JSONElement? = self
    for name in path.split(separator: ".", omittingEmptySubsequences: false) { value = value?[String(name)] }
    return value
  }

  /// The elements of an array that has only strings; nil for any other value.
  var strings: [String]? {
    guard kind == .array else { return nil }
    var strings: [String] = []
    for element in elements {
      guard let string = element.string else { return nil }
      strings.append(string)
    }
    return strings
  }
}
