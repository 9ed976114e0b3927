import RibSchema
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The shapes that were deployed, as a file has them.
struct StateShapeFile {
  /// A shape that a riblet's state has, or had in a former version.
  struct Entry: Equatable {
    /// The version of the shape.
    let version: Int
    /// The shape as JSON Schema; nil for a state that is not saved by itself.
    let schema: JSONValue?
    /// Values that have to decode or, of a former version, to migrate.
    let examples: [JSONValue]
  }

  /// The entries by the riblets' type names: of one name, there may be several of one version.
  private(set) var riblets: [String: [Entry]] = [:]
  /// Whether there is such a file.
  private(set) var exists = false

  /// The version of the file's own format.
  private static let format = 1

  /// A file without shapes.
  init() {}

  /// Reads a file; there need not be one.
  ///
  /// - Parameter path: the file.
  /// - Throws: ``StateShapeError`` if it is another program's or damaged.
  init(contentsOf path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    guard let bytes = FileManager.default.contents(atPath: path),
      let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self)),
      json["format"] == .integer(Int64(Self.format)), case .object(let members)? = json["riblets"]
    else {
      throw StateShapeError(problems: ["\(path) is no file of state shapes that this version of RibTesting reads."])
    }
    exists = true
    for (name, value) in members {
      guard case .array(let entries) = value else { continue }
      riblets[name] = try entries.map { entry in
        guard case .integer(let version)? = entry["stateVersion"], case .array(let examples)? = entry["examples"] else {
          throw StateShapeError(problems: ["\(path) is damaged, at \(name): put it back from version control."])
        }
        return Entry(version: Int(version), schema: entry["schema"], examples: examples)
      }
    }
  }

  /// Writes the file.
  ///
  /// - Parameter path: the file.
  /// - Throws: an error of the file system.
  func write(to path: String) throws {
    var members = JSONObject()
    for (name, entries) in riblets { members[name] = .array(entries.map(\.json)) }
    let json = JSONValue.object(["format": .integer(Int64(Self.format)), "riblets": .object(members)])
    try Data("\(json.indentedText())\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Takes over shapes.
  ///
  /// - Parameters:
  ///   - shapes: the shapes that the program has.
  ///   - mode: ``StateShapeMode/replace`` also forgets riblets that are gone, and shapes of a version that the program has otherwise.
  mutating func update(with shapes: [RibletShape], _ mode: StateShapeMode) {
    let present = Dictionary(grouping: shapes, by: \.typeName)
    if mode == .replace { riblets = riblets.filter { present[$0.key] != nil } }
    for (name, shapes) in present {
      let new = shapes.map { Entry($0) }
      let kept = (riblets[name] ?? []).filter { entry in
        let successors = new.filter { $0.version == entry.version }
        guard mode == .accept else { return successors.isEmpty && new.contains { $0.version > entry.version } }
        return !successors.contains { entry.isRead(by: $0) }
      }
      riblets[name] = (kept + new.unique).enumerated().sorted {
        ($0.element.version, $0.offset) < ($1.element.version, $1.offset)
      }
      .map(\.element)
    }
  }
}

extension StateShapeFile.Entry {
  /// The entry of a shape that the program has.
  init(_ shape: RibletShape) {
    self.init(version: shape.version, schema: shape.saved?.schema, examples: shape.saved?.examples ?? [])
  }

  /// Whether a shape of the same version reads all that this one has saved.
  func isRead(by new: StateShapeFile.Entry) -> Bool {
    guard let schema else { return new.schema == nil }
    return new.schema.map { present in !ShapeChange.between(schema, present).contains { $0.isBreak } } ?? false
  }

  fileprivate var json: JSONValue {
    var members: JSONObject = ["stateVersion": .integer(Int64(version)), "examples": .array(examples)]
    members["schema"] = schema
    return .object(members)
  }
}

extension [StateShapeFile.Entry] {
  /// Each shape once.
  fileprivate var unique: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension JSONValue {
  /// The value with a member and an element on each line, for a file that people compare.
  func indentedText(_ indentation: String = "") -> String {
    let inner = indentation + "  "
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.sorted { $0.key < $1.key }
        .map { "\(inner)\(JSONValue.string($0.key).text): \($0.value.indentedText(inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
    // Small values stay on their line.
    case .array(let elements) where !elements.isEmpty && text.utf8.count > 80:
      let lines = elements.map { "\(inner)\($0.indentedText(inner))" }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
    default: return text
    }
  }
}
