/// The child of a riblet that begins, as its parent knows it.
struct ChildTemplate: Equatable {
  let name: String
  /// Whether it is written, too.
  var isNew = true
  /// Whether it has no view, and so no actions.
  var isViewless = false
  /// Whether it can be told where to begin to count.
  var hasStart = true

  /// A child that is yet to be written.
  init(_ name: String) { self.name = name }

  /// A child.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - text: its files, if it is there already.
  /// - Throws: ``NothingWritten`` if it lacks what its parent needs.
  init(_ name: String, in text: String?) throws(NothingWritten) {
    self.init(name)
    guard let text else { return }
    isNew = false
    isViewless = text.contains("\(name): ViewlessRiblet")
    hasStart = text.contains("var start")
    let needs = [
      ("a Config", #/\b(?:struct|enum|typealias) Config\b/#),
      ("an Output with the case closed", #/\bcase\b.*\bclosed\b/#),
    ]
    for (need, pattern) in needs where text.firstMatch(of: pattern) == nil {
      throw NothingWritten(
        reason: "\(name) is there already and, as it seems, without \(need), which its parent needs.")
    }
    guard text.contains("struct \(name)Builder") else {
      throw NothingWritten(reason: "\(name) is there already, without the \(name)Builder that its parent needs.")
    }
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
