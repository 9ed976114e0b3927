package import RibCore
import Synchronization
package import Wire

/// What the riblets of an app show and take, by their type names, as JSON Schema.
///
/// Which riblets an app has is known once they are attached: trees that have the book note each type in it when its first
/// node is attached. What it shows is told from its first view, what it takes is found out when a client asks, and no action
/// waits for that.
package final class SchemaBook: Sendable {
  /// What one type of riblet shows, and how to find out what it takes.
  private struct Entry: Sendable {
    let state: JSONSchema
    let action: @Sendable () -> JSONSchema
  }

  private struct Pages {
    /// The nodes' classes that were noted, or have no view.
    var known: Set<ObjectIdentifier> = []
    var entries: [String: Entry] = [:]
    /// What was found out, as JSON.
    var written: [String: [UInt8]] = [:]
  }

  private let pages = Mutex(Pages())

  /// A book without entries.
  package init() {}

  /// Whether no riblet was noted yet.
  package var isEmpty: Bool { pages.withLock { $0.entries.isEmpty } }

  /// Writes an object with a member for each type of riblet: `{"Counter":{"state":…,"action":…}}`.
  ///
  /// `action` is false for a riblet that takes none.
  ///
  /// - Parameter json: where to.
  package func write(into json: inout JSONWriter) {
    let (entries, written) = pages.withLock { ($0.entries, $0.written) }
    json.beginObject()
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      json.key(name)
      if let known = written[name] {
        json.raw(known)
      } else {
        let found = Self.text(entry)
        pages.withLock { $0.written[name] = found }
        json.raw(found)
      }
    }
    json.endObject()
  }

  private static func text(_ entry: Entry) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("state")
    entry.state.write(into: &json)
    json.key("action")
    entry.action().writeAction(into: &json)
    json.endObject()
    return json.bytes
  }
}

extension SchemaBook: RibletVisitor {
  /// Whether no tree has attached a riblet of this type yet.
  package func wants(_ node: ObjectIdentifier) -> Bool { pages.withLock { $0.known.insert(node).inserted } }

  /// Takes note of a type.
  package func visit<R: Riblet>(_ type: R.Type, named name: String, showing state: R.ViewState) {
    // There is no better time than now: another view may say less, and none is kept for this.
    let entry = Entry(state: JSONSchema(encoding: state)) {
      R.ViewAction.self == Never.self ? .nothing : JSONSchema(decoding: R.ViewAction.self)
    }
    pages.withLock { pages in
      if pages.entries[name] == nil { pages.entries[name] = entry }
    }
  }
}
