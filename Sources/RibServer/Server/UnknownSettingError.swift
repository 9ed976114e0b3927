package import Wire

/// Something was set that is no setting: most likely a typing error, which must not pass for a setting that has its default.
package struct UnknownSettingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name as it was written: a key of the file, or an environment variable.
  package let name: String
  /// The setting's name that differs least from it, written the same way.
  package let nearest: String

  /// One sentence for a person.
  package var description: String { "There is no setting \"\(name)\"; the nearest is \"\(nearest)\"." }

  /// Makes sure that a file has no keys but settings'.
  ///
  /// - Parameters:
  ///   - file: what is in it.
  ///   - settings: all that there are.
  /// - Throws: the first key that is none, in alphabetic order.
  package static func check(file: JSONValue, for settings: [Setting]) throws(UnknownSettingError) {
    try check(keys(of: file, below: ""), among: settings.map(\.key))
  }

  /// Makes sure that an environment has no variables with the daemon's prefix but settings'.
  ///
  /// - Parameters:
  ///   - environment: the names of all variables.
  ///   - settings: all that there are.
  ///   - others: variables with the prefix that are no settings.
  /// - Throws: the first variable that is none, in alphabetic order.
  package static func check(
    environment: some Sequence<String>, for settings: [Setting], besides others: Set<String> = []
  ) throws(UnknownSettingError) {
    let names = environment.filter { $0.hasPrefix(Setting.variablePrefix) && !others.contains($0) }
    try check(names, among: settings.map(\.variable))
  }

  private static func check(_ names: [String], among known: [String]) throws(UnknownSettingError) {
    let allowed = Set(known)
    guard let name = names.filter({ !allowed.contains($0) }).min() else { return }
    let nearest = known.min { distance(name, $0) < distance(name, $1) }
    throw UnknownSettingError(name: name, nearest: nearest ?? "")
  }

  /// The names of all values that are no objects.
  private static func keys(of value: JSONValue, below path: String) -> [String] {
    guard case .object(let members) = value else { return [path] }
    return members.flatMap { keys(of: $0.value, below: path.isEmpty ? $0.key : "\(path).\($0.key)") }
  }

  /// How far two names are apart: the number of letters to insert, remove or replace (Levenshtein), of the whole names or,
  /// where a group was forgotten, of the last parts.
  private static func distance(_ ours: String, _ theirs: String) -> Int {
    let last = { (name: String) in name.split(separator: ".").last.map { Array($0.lowercased()) } ?? [] }
    return min(edits(Array(ours.lowercased()), Array(theirs.lowercased())), edits(last(ours), last(theirs)) + 1)
  }

  private static func edits(_ ours: [Character], _ theirs: [Character]) -> Int {
    var row = Array(0...theirs.count)
    for (index, letter) in ours.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in theirs.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[theirs.count]
  }
}
