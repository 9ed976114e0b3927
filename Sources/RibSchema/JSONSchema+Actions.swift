package import Wire

// An action has a long form, {"select":{"_0":1}}, in which all values have labels, and short forms: {"select":1} for a value without a label,
// and "increment" for a case that needs no values. `ActionDecoder` decides what each of them means. The forms here follow its rules:
//
// - the action is a string, or an object with one member; an enum within it may have other members, which are ignored;
// - a payload is an object with any member whose name is a label, or else the value `_0` itself;
// - null stands for an optional value; if all values are optional, so does the empty object.

extension JSONSchema {
  /// Writes the JSON Schema of what the server takes as an action: the long form of each case, and the short forms behind them.
  ///
  /// The schema allows what the server takes, as far as the action's type is known. It allows more where JSON Schema has no keyword:
  /// the `format` of a string is an annotation, a decimal number may have too many digits, and a number may be too large for its type.
  ///
  /// - Parameter json: where to.
  package func writeAction(into json: inout JSONWriter) { action.write(into: &json) }

  private var action: SchemaText {
    switch self {
    case .cases(let cases): Self.action(of: cases)
    // Of objects the decoder takes those with one member, whatever the type makes of it.
    case .object, .dictionary, .payload, .unknown: text(isTaken: true) + ["minProperties": 1, "maxProperties": 1]
    default: text(isTaken: true)
    }
  }

  /// An enum as an action.
  ///
  /// Each case has its name as the title, and all short forms share one.
  private static func action(of cases: [Property]) -> SchemaText {
    func form(_ name: String, _ payload: SchemaText) -> SchemaText {
      [
        "type": "object", "properties": .object([(name, payload)]), "required": .strings([name]),
        "additionalProperties": false,
      ]
    }
    let long = cases.map { ["title": .string($0.name)] + form($0.name, $0.schema.longPayload) }
    let short = cases.compactMap { property in property.schema.shortPayload.map { form(property.name, $0) } }
    let all = names(of: cases) + short
    return ["oneOf": .array(all.isEmpty ? long : long + [["title": "Short forms", "anyOf": .array(all)]])]
  }

  /// An enum within an action.
  static func takenCase(of cases: [Property]) -> SchemaText {
    let payloads = cases.map { property in
      let long = property.schema.longPayload
      return (property.name, property.schema.shortPayload.map { ["anyOf": [long, $0]] } ?? long)
    }
    let object: SchemaText = [
      "type": "object", "properties": .object(payloads), "oneOf": .array(cases.map { requiring($0.name) }),
    ]
    let names = names(of: cases)
    return names.isEmpty ? object : ["anyOf": .array(names + [object])]
  }

  /// The names of the cases that may be written as a string, as one schema; no schema if there are none.
  private static func names(of cases: [Property]) -> [SchemaText] {
    let names = cases.filter { $0.schema.labels?.contains(where: \.isRequired) == false }.map(\.name)
    return names.isEmpty ? [] : [["enum": .strings(names)]]
  }

  // MARK: Payloads

  /// The values of a payload by their labels; nil if the payload is not known.
  private var labels: [Property]? {
    switch self {
    case .payload(let labels), .object(let labels, _): labels
    default: nil
    }
  }

  /// The value that may stand without its label `_0`; nil if there is none.
  private var bareValue: Property? {
    guard let labels, let value = labels.first(where: { $0.name == "_0" }) else { return nil }
    return labels.contains { $0.name == "_1" || $0.name != "_0" && $0.isRequired } ? nil : value
  }

  /// The payload with the labels of its values.
  private var longPayload: SchemaText {
    guard let labels else { return text(isTaken: true) }
    let object = Self.object(labels, isTaken: true)
    let comment: SchemaText = if case .object(_, let comment?) = self { ["$comment": .string(comment)] } else { [:] }
    // Without a label the object would be the bare value.
    guard bareValue?.isRequired == false else { return comment + object }
    return comment + object + ["anyOf": .array(Self.labelled(labels))]
  }

  /// The payload as its bare value; nil if there is no such form.
  private var shortPayload: SchemaText? {
    guard let labels, let value = bareValue else { return nil }
    let schema = value.schema.text(isTaken: true)
    return [
      "allOf": [
        value.isRequired ? schema : Self.nullable(schema),
        ["not": ["type": "object", "anyOf": .array(Self.labelled(labels))]],
      ]
    ]
  }

  /// The objects that are no bare value: those with a label, and the empty one if all values are optional.
  private static func labelled(_ labels: [Property]) -> [SchemaText] {
    labels.map { requiring($0.name) } + (labels.contains(where: \.isRequired) ? [] : [["maxProperties": 0]])
  }

  private static func requiring(_ name: String) -> SchemaText { ["required": .strings([name])] }
}
