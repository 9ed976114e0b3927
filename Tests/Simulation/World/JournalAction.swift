import Wire

/// What clients do with a journal, and to whom.
enum JournalAction {
  private static let all = [
    ("add", ""), ("add", ""), ("open", ""), ("close", ""), ("sulk", ""), ("book", ""), ("add", "page"), ("add", "page"),
    ("dance", ""),
  ]

  /// An action.
  ///
  /// - Parameters:
  ///   - name: unique among those of all clients.
  ///   - choice: which one.
  /// - Returns: the action, and the path of the node that it is for.
  static func make(_ name: Int, _ choice: UInt64) -> (action: JSONValue, path: String) {
    let (action, path) = all[Int(choice % UInt64(all.count))]
    var members = JSONObject()
    members[action] = .integer(Int64(name))
    return (.object(members), path)
  }
}
