/// Notes which values of a document its decoding has read, and which of them are secrets.
///
/// Not `Sendable`: it belongs to a document that one thread decodes.
final class DecodingTrace {
  /// The tape indices of members and elements that the decoding type has asked for.
  private var read: Set<Int> = []
  private var secrets: Set<Int> = []
  /// Whether the whole value was decoded.
  private(set) var isComplete = false

  func noteRead(_ value: JSONElement) { read.insert(value.index) }
  func noteSecret(_ value: JSONElement) { secrets.insert(value.index) }
  func noteEnd() { isComplete = true }

  /// The JSON of a value: null for each secret and for each element that was not read, and without the members that were not read.
  func text(of value: JSONElement) -> String {
    guard !secrets.contains(value.index) else { return "null" }
    switch value.kind {
    case .object:
      var members: [String] = []
      value.forEachMember { key, value in
        if read.contains(value.index) { members.append("\(key.source):\(text(of: value))") }
      }
      return "{\(members.joined(separator: ","))}"
    case .array:
      let elements = value.elements.map { read.contains($0.index) ? text(of: $0) : "null" }
      return "[\(elements.joined(separator: ","))]"
    default: return value.source
    }
  }
}
