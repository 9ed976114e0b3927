/// The header fields of a message, in order, several of one name allowed (RFC 9110 §5).
///
/// Names are kept as written and found without regard to the case of ASCII letters.
package struct HeaderFields: Equatable, Sendable {
  /// One field line.
  package struct Field: Equatable, Sendable {
    /// The field's name, as written.
    package let name: String
    /// The field's value, without the whitespace around it.
    package let value: String

    /// Adds the field's line; characters that a value may not have become spaces.
    func write(into output: inout [UInt8]) {
      output.append(contentsOf: name.utf8)
      output.append(contentsOf: ": ".utf8)
      output.append(contentsOf: value.utf8.lazy.map { HTTPGrammar.isFieldByte($0) ? $0 : HTTPGrammar.space })
      output.append(contentsOf: "\r\n".utf8)
    }
  }

  /// The fields, in order.
  package private(set) var fields: [Field] = []

  /// No fields.
  package init() {}

  /// The number of field lines.
  package var count: Int { fields.count }

  /// The value of the first field named `name`, nil if there is none.
  package subscript(name: String) -> String? {
    fields.first { HTTPGrammar.matches($0.name, name) }?.value
  }

  /// The value of the only field named `name`; nil if there is none, or more than one.
  package func only(_ name: String) -> String? {
    var value: String?
    for field in fields where HTTPGrammar.matches(field.name, name) {
      guard value == nil else { return nil }
      value = field.value
    }
    return value
  }

  /// The values of all fields named `name`, in order.
  package func values(for name: String) -> [String] {
    fields.filter { HTTPGrammar.matches($0.name, name) }.map(\.value)
  }

  /// Whether the comma-separated lists in the fields named `name` have `token` among them, in upper or lower case.
  ///
  /// Meant for lists of tokens, such as `Connection`; a comma within a quoted string separates, too.
  package func contains(token: String, in name: String) -> Bool {
    elements(of: name).contains { HTTPGrammar.matches($0, token) }
  }

  /// Adds a field at the end.
  ///
  /// - Parameters:
  ///   - name: a token; anything else is a mistake in the program and traps.
  ///   - value: the value; characters that a value may not have are written as spaces.
  package mutating func append(name: String, value: String) {
    precondition(HTTPGrammar.isToken(name), "\"\(name)\" is no header field name: RFC 9110 §5.1 wants a token")
    fields.append(Field(name: name, value: value))
  }

  /// Puts one field in the place of all those named `name`.
  mutating func replace(name: String, value: String) {
    fields.removeAll { HTTPGrammar.matches($0.name, name) }
    append(name: name, value: value)
  }

  /// The elements of the comma-separated lists in all fields named `name` (RFC 9110 §5.6.1), found one by one.
  package func elements(of name: String) -> ListElements { ListElements(values(for: name), isReversed: false) }

  /// The same, the last one first.
  package func reversedElements(of name: String) -> ListElements { ListElements(values(for: name), isReversed: true) }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  /// The fields of the literal, in its order; a name may come more than once.
  package init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name: name, value: value) }
  }
}
