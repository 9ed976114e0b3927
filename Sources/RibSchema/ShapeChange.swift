package import Wire

/// A difference between the shape that saved values have and the one that a type has now.
package struct ShapeChange: Equatable, Sendable {
  /// The change of one place in a shape.
  package enum Kind: Equatable, Sendable {
    /// The member is gone; the text is the name of a new one of the same shape, if there is one: it was probably renamed.
    case removed(renamedTo: String?)
    /// The value is of another kind; the texts say which it was and which it is.
    case retyped(from: String, to: String)
    /// The member has to be there now, and saved values may not have it.
    case required
    /// The case of an enum is gone.
    case caseGone(String)
    /// Null is not taken any more.
    case notNullable
    /// There is something new that saved values need not have.
    case added
  }

  /// The place, as a JSON Pointer in which `-` is every element of an array, and `*` every member of a dictionary.
  package let path: String
  /// The kind of change.
  package let kind: Kind

  /// A difference.
  package init(_ path: String, _ kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// Whether saved values do not decode any more, or lose something without a word.
  package var isBreak: Bool { kind != .added }
}

extension ShapeChange {
  /// Compares two shapes, each as JSON Schema.
  ///
  /// Where one of them only says that nothing is known, there is no difference.
  ///
  /// - Parameters:
  ///   - old: the shape of the saved values.
  ///   - new: the shape that the type has now.
  /// - Returns: the differences, in the order of their places.
  package static func between(_ old: JSONValue, _ new: JSONValue) -> [ShapeChange] {
    var comparison = ShapeComparison()
    comparison.compare(old, new, at: "")
    return comparison.changes
  }
}

/// The comparison of two shapes.
private struct ShapeComparison {
  var changes: [ShapeChange] = []

  private mutating func note(_ kind: ShapeChange.Kind, at path: String) { changes.append(ShapeChange(path, kind)) }

  mutating func compare(_ old: JSONValue, _ new: JSONValue, at path: String) {
    guard old.withoutComment != new.withoutComment, !old.isUnknown, !new.isUnknown else { return }
    // A secret is saved as null, whatever its value is.
    if old["writeOnly"] != nil, new["writeOnly"] != nil { return }
    switch (old.nullable, new.nullable) {
    case (let old?, let new?): return compare(old, new, at: path)
    case (let old?, nil):
      note(.notNullable, at: path)
      return compare(old, new, at: path)
    case (nil, let new?): return compare(old, new, at: path)
    case (nil, nil): break
    }
    if let former = old.constants, new.constants != nil || new.kindName == "a string" {
      return compare(constants: former, new.constants, at: path)
    }
    if let former = old.cases, let present = new.cases { return compare(cases: former, present, at: path) }
    guard old.isReadable(as: new) else { return note(.retyped(from: old.kindName, to: new.kindName), at: path) }
    if let items = old["items"], let others = new["items"] { compare(items, others, at: "\(path)/-") }
    if let values = old.additional, let others = new.additional { compare(values, others, at: "\(path)/*") }
    if old.hasMembers || new.hasMembers { compareMembers(old, new, at: path) }
  }

  private mutating func compare(constants old: [JSONValue], _ new: [JSONValue]?, at path: String) {
    guard let new else { return }
    for value in old where !new.contains(value) { note(.caseGone(value.plainText), at: path) }
    for value in new where !old.contains(value) { note(.added, at: "\(path)/\(value.plainText.escaped)") }
  }

  private mutating func compare(cases old: [String: JSONValue], _ new: [String: JSONValue], at path: String) {
    for (name, payload) in old.sorted(by: { $0.key < $1.key }) {
      if let other = new[name] {
        compare(payload, other, at: "\(path)/\(name.escaped)")
      } else {
        note(.caseGone(name), at: path)
      }
    }
    for name in new.keys.sorted() where old[name] == nil { note(.added, at: "\(path)/\(name.escaped)") }
  }

  private mutating func compareMembers(_ old: JSONValue, _ new: JSONValue, at path: String) {
    let (former, present) = (old.members, new.members)
    let added = present.keys.sorted().filter { former[$0] == nil }
    for (name, schema) in former.sorted(by: { $0.key < $1.key }) {
      let place = "\(path)/\(name.escaped)"
      guard let other = present[name] else {
        let twin = added.first { present[$0]?.withoutComment == schema.withoutComment }
        note(.removed(renamedTo: twin), at: place)
        continue
      }
      compare(schema, other, at: place)
      if new.requires(name), !old.requires(name) { note(.required, at: place) }
    }
    for name in added { note(new.requires(name) ? .required : .added, at: "\(path)/\(name.escaped)") }
  }
}

extension String {
  /// As a token of a JSON Pointer (RFC 6901 §3).
  fileprivate var escaped: String {
    split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
      .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
  }
}

/// A value that is a JSON Schema.
extension JSONValue {
  fileprivate var type: String? { if case .string(let type)? = self["type"] { type } else { nil } }

  /// The text of a string, or the JSON of anything else.
  fileprivate var plainText: String { if case .string(let text) = self { text } else { text } }

  private var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  fileprivate var withoutComment: JSONValue {
    switch self {
    case .object(var members):
      members["$comment"] = nil
      for key in members.keys { members[key] = members[key]?.withoutComment }
      return .object(members)
    case .array(let elements): return .array(elements.map(\.withoutComment))
    default: return self
    }
  }

  /// Whether it only says that anything may be there.
  fileprivate var isUnknown: Bool { withoutComment == .object([:]) }

  /// The part that may be null, without that.
  fileprivate var nullable: JSONValue? {
    guard let choices = self["anyOf"]?.elements, choices.count == 2, choices[1]["type"] == .string("null") else {
      return nil
    }
    return choices[0]
  }

  fileprivate var constants: [JSONValue]? { self["enum"]?.elements }

  /// The payloads of an enum's cases, by their names.
  fileprivate var cases: [String: JSONValue]? {
    guard let choices = self["oneOf"]?.elements else { return nil }
    var cases: [String: JSONValue] = [:]
    for choice in choices {
      guard case .string(let name)? = choice["title"], let payload = choice["properties"]?[name] else { return nil }
      cases[name] = payload
    }
    return cases
  }

  fileprivate var additional: JSONValue? {
    if case .object? = self["additionalProperties"] { self["additionalProperties"] } else { nil }
  }

  fileprivate var hasMembers: Bool { self["properties"] != nil }

  fileprivate var members: [String: JSONValue] {
    guard case .object(let members)? = self["properties"] else { return [:] }
    return Dictionary(members.map { ($0.key, $0.value) }) { $1 }
  }

  fileprivate func requires(_ name: String) -> Bool { self["required"]?.elements?.contains(.string(name)) ?? false }

  /// Whether a value of this kind decodes as one of another kind, whatever is in it.
  fileprivate func isReadable(as new: JSONValue) -> Bool {
    if type == "integer", new.type == "number" { return true }
    guard let type, type == new.type else { return false }
    guard (additional != nil) == (new.additional != nil) else { return false }
    // A date is not saved as the text that clients see; nor are bytes.
    return self["format"] == new["format"] && self["contentEncoding"] == new["contentEncoding"]
      && (self["writeOnly"] != nil) == (new["writeOnly"] != nil)
  }

  fileprivate var kindName: String {
    if constants != nil { return "an enum of texts" }
    if cases != nil { return "an enum" }
    if case .string(let format)? = self["format"] { return "a \(format)" }
    if self["contentEncoding"] != nil { return "bytes" }
    switch type {
    case "object": return additional == nil ? "an object" : "a dictionary"
    case "array": return "an array"
    case "integer": return "an integer"
    case let type?: return "a \(type)"
    case nil: return "another schema"
    }
  }
}
