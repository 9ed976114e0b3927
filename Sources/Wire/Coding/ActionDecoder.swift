/// Decodes an action from its JSON: the synthesized coding of an enum case, and the short forms that the protocol
/// allows.
///
/// - `"x"` and `{"x":{}}` mean the same for a case without payload, and for a case of an enum with `String` raw values;
/// - `{"select":1}` means `{"select":{"_0":1}}`, for a case with a single unlabelled payload;
/// - an object with more than one key is refused (the synthesized coding would ignore keys that it does not know). This
///   holds for the action itself: objects within it may have unknown keys, which are ignored, and of equal keys the
///   last counts.
///
/// Types need only be `Decodable`: the short forms are recognised by what a synthesized `init(from:)` asks for.
package enum ActionDecoder {
  /// Decodes an action.
  ///
  /// - Parameters:
  ///   - type: the action's type.
  ///   - element: its JSON.
  /// - Returns: the action.
  /// - Throws: `DecodingError` with the reason and the path from the action; or what a hand-written `init(from:)`
  ///   throws.
  package static func decode<T: Decodable>(_ type: T.Type = T.self, from element: JSONElement) throws -> T {
    if element.kind == .object, element.count != 1 {
      let reason = "An action is an object with one key, its case; this one has \(element.count)."
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
    // Asked first, as most texts are no longer than a name.
    if element.document.bytes.count > longestName, element.caseName?.isNoName == true {
      let reason = "The name of an action has at most \(longestName) bytes."
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
    let action = try decodeValue(type, from: element)
    element.document.trace?.noteEnd()
    return action
  }

  /// Decodes a value that is not an action, such as the parameters of a session; the short forms are allowed here too.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - element: its JSON.
  /// - Returns: the value.
  /// - Throws: `DecodingError` with the reason and the path from `element`; also for a value that is nested too deeply to be decoded, and for a
  ///   text that is not Stream-Safe.
  package static func decodeValue<T: Decodable>(_ type: T.Type = T.self, from element: JSONElement) throws -> T {
    if element.isTooDeep {
      let reason = "Arrays and objects are nested more than \(JSONLimits.valueNesting) levels deep."
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
    let root = DecodingRoot(index: element.index, form: .wire)
    if !element.document.isPlain, let text = element.firstUnsafeString {
      throw DecodingError.dataCorrupted(
        .init(codingPath: text.path(from: root), debugDescription: "A text has \(String.unsafeRun)."))
    }
    return try ElementDecoder(element: element, root: root, type: type).decode(type)
  }

  /// An action that names no case of its type.
  package struct UnknownCase: Equatable, Sendable {
    /// The name, cut short if it is long.
    package let name: String
    /// The names of the cases that there are, in the order of their declaration.
    package let known: [String]
  }

  /// Says whether an action did not decode because of its name.
  ///
  /// It takes much longer than decoding: to be asked when that has failed.
  ///
  /// - Parameters:
  ///   - type: the action's type.
  ///   - element: its JSON.
  /// - Returns: nil if the name is that of a case, if the JSON has no name, or if the names are not known, as those
  ///   of a type that is no enum or is coded by hand.
  package static func unknownCase<T: Decodable>(of type: T.Type, in element: JSONElement) -> UnknownCase? {
    // No type sees a name that is too long, or not Stream-Safe.
    guard let name = element.caseName?.name, name.isStreamSafe, let known = CaseNames.all(of: type, asking: name),
      !known.contains(where: { haveSameUTF8($0, name) })
    else { return nil }
    // Scalars, not characters: one of those may be as long as the message.
    let scalars = name.unicodeScalars
    let brief = scalars.count > nameLimit ? String(String.UnicodeScalarView(scalars.prefix(nameLimit))) + "…" : name
    return UnknownCase(name: brief, known: known)
  }

  /// How many Unicode scalars of a client's name for an action are repeated to that client.
  private static let nameLimit = 64
}

extension JSONElement {
  /// The name of an action: the string itself, or the key of an object that has one member.
  fileprivate var caseName: JSONElement? {
    switch kind {
    case .string: self
    case .object where count == 1: JSONElement(document: document, index: index + 1)
    default: nil
    }
  }
}
