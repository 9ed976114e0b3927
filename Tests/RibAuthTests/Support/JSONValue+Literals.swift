import Wire

extension JSONValue: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
  init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByNilLiteral {
  init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByArrayLiteral {
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral members: (String, JSONValue)...) {
    var object = JSONObject()
    for (key, value) in members { object[key] = value }
    self = .object(object)
  }
}

extension JSONValue {
  /// The members of two objects; of two with one key, the other one's, and `null` takes one away.
  func with(_ changes: JSONValue) -> JSONValue {
    guard case .object(var members) = self, case .object(let others) = changes else { return changes }
    for (key, value) in others {
      if case .null = value { members[key] = nil } else { members[key] = value }
    }
    return .object(members)
  }

  /// The text, if it is a string.
  var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, if it is a whole one.
  var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}
