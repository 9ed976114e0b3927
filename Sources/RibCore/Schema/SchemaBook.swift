import Synchronization
public import Wire

/// What the riblets of an app show and take, by their type names, as JSON Schema.
///
/// Which riblets an app has is known once they are attached: trees that have the book note each type in it when its first
/// node is attached.
public final class SchemaBook: Sendable {
  /// What one type of riblet shows and takes.
  struct Entry: Sendable {
    let state: JSONSchema
    let action: JSONSchema
  }

  private struct Pages {
    /// The nodes' classes that were noted, or have no view.
    var known: Set<ObjectIdentifier> = []
    var entries: [String: Entry] = [:]
  }

  private let pages = Mutex(Pages())

  /// A book without entries.
  public init() {}

  /// Whether no riblet was noted yet.
  public var isEmpty: Bool { pages.withLock { $0.entries.isEmpty } }

  func note(_ node: AnyNode) {
    let type = ObjectIdentifier(Swift.type(of: node))
    guard !pages.withLock({ $0.known.contains(type) }) else { return }
    // Outside of the lock: it calls the riblet's code.
    let entry = node.schemas
    pages.withLock { pages in
      pages.known.insert(type)
      if let entry, pages.entries[node.typeName] == nil { pages.entries[node.typeName] = entry }
    }
  }

  /// Writes an object with a member for each type of riblet: `{"Counter":{"state":…,"action":…}}`.
  ///
  /// `action` is false for a riblet that takes none.
  ///
  /// - Parameter json: where to.
  public func write(into json: inout JSONWriter) {
    let entries = pages.withLock { $0.entries }
    json.beginObject()
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      json.key(name)
      json.beginObject()
      json.key("state")
      entry.state.write(into: &json)
      json.key("action")
      entry.action.write(into: &json)
      json.endObject()
    }
    json.endObject()
  }
}
