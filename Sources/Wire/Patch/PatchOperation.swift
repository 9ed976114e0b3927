/// One of the four operations of RFC 6902 that a view's patches are made of.
public enum PatchOperation: Equatable, Sendable {
  /// Adds a member, or inserts an element before the one at the place (RFC 6902 §4.1).
  case add(JSONPointer, JSONValue)
  /// Removes the value at a place, which must exist (§4.2).
  case remove(JSONPointer)
  /// Replaces the value at a place, which must exist (§4.3).
  case replace(JSONPointer, JSONValue)
  /// Removes the value at one place, which must exist, and adds it at another (§4.4).
  case move(from: JSONPointer, to: JSONPointer)

  /// Reads an operation.
  ///
  /// - Parameter json: an object with `op`, `path` and what the operation needs; other members are ignored (§4).
  /// - Throws: ``PatchError/malformedOperation(_:)`` or ``PatchError/malformedPointer(_:)``.
  package init(_ json: JSONElement) throws(PatchError) {
    guard let name = json["op"]?.name, let path = json["path"]?.string else {
      throw .malformedOperation(json.source)
    }
    let place = try JSONPointer(parsing: path)
    switch (name, json["value"], json["from"]?.string) {
    case ("add", let value?, _): self = .add(place, JSONValue(value))
    case ("remove", _, _): self = .remove(place)
    case ("replace", let value?, _): self = .replace(place, JSONValue(value))
    case ("move", _, let from?): self = .move(from: try JSONPointer(parsing: from), to: place)
    default: throw .malformedOperation(json.source)
    }
  }
}

/// Why a patch is malformed, or does not apply.
public enum PatchError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A text is not a JSON Pointer (RFC 6901 §3).
  case malformedPointer(String)
  /// An object is not an operation, or is one that this protocol does not use.
  case malformedOperation(String)
  /// The operation needs a value at a place where there is none, or adds one where none can be.
  case noSuchPlace(JSONPointer)

  /// One sentence for a log.
  public var description: String {
    switch self {
    case .malformedPointer(let text): "\"\(text)\" is no JSON Pointer"
    case .malformedOperation(let text): "\(text) is no add, remove, replace or move"
    case .noSuchPlace(let pointer): "the document has no place \"\(pointer)\""
    }
  }
}
