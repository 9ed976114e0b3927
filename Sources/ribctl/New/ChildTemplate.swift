/// The child of a riblet that begins, as its parent knows it.
struct ChildTemplate: Equatable {
  let name: String
  /// Whether it is written, too.
  var isNew = true
  /// Whether a client can tell it to close.
  var isClosable = true
  /// Whether it can be told where to begin to count.
  var hasStart = true

  /// A child that is yet to be written.
  init(_ name: String) { self.name = name }

  /// A child.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - text: its sources, if they are there already.
  /// - Throws: ``NothingWritten`` if it lacks what its parent needs.
  init(_ name: String, in text: String?) throws(NothingWritten) {
    self.init(name)
    guard let text else { return }
    isNew = false
    isClosable = text.contains(#/\bcase\b[^\n]*\bcloseTapped\b/#)
    hasStart = text.contains(#/\bvar start = /#)
    let needs = [
      (#/\bstruct Config\b[^{]*\{(?:\s*var \w+(?:: \w+)? = [^;\n}]+;?)*\s*\}/#, "a Config that can be made of nothing"),
      (#/\benum Output\b[^{]*\{\s*case closed\s*\}/#, "an Output whose one case is closed"),
      (#/\bstruct \w+Builder\b/#, "a \(name)Builder"),
    ].map { (text.contains($0), $1) }
    guard let missing = needs.first(where: { !$0.0 }) else { return }
    throw NothingWritten(reason: "\(name) is there already, and has not what its parent is written for: \(missing.1).")
  }

  /// What it is built with, by a parent that counts.
  func config(counting count: String) -> String { "\(name).Config(\(hasStart ? "start: \(count)" : ""))" }

  /// The property of its parent's state.
  var slot: String {
    let slot = name.prefix(1).lowercased() + name.dropFirst()
    return Self.takenNames.contains(slot) ? "\(slot)Child" : slot
  }

  /// What would not compile as a property, or collide with another of the parent's properties and actions.
  private static let takenNames: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while", "close", "count",
  ]
}
