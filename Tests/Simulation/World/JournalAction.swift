import Wire

/// What clients do with a journal, and to whom.
struct JournalAction {
  private static let all = [
    ("add", ""), ("add", ""), ("open", ""), ("close", ""), ("sulk", ""), ("book", ""), ("overbook", ""),
    ("add", "page"), ("add", "page"), ("overbook", "page"), ("dance", ""),
  ]

  /// Unique among those of all clients.
  let name: Int
  let verb: String
  /// The path of the node that it is for.
  let path: String

  /// An action.
  ///
  /// - Parameters:
  ///   - name: unique among those of all clients.
  ///   - choice: which one.
  init(_ name: Int, _ choice: UInt64) {
    self.name = name
    (verb, path) = Self.all[Int(choice % UInt64(Self.all.count))]
  }

  /// What its client sends.
  var json: JSONValue {
    var members = JSONObject()
    members[verb] = .integer(Int64(name))
    return .object(members)
  }

  /// Whether the app refuses it each time.
  var isRefused: Bool { verb == "overbook" }

  /// Whether it may be answered so.
  ///
  /// - Parameters:
  ///   - nack: its refusal; nil if it is done.
  ///   - isOfGuest: whether its client was invited, and may have been so only to look.
  /// - Returns: false for another refusal than the action can have, or none.
  func allows(_ nack: Nack?, isOfGuest: Bool) -> Bool {
    switch nack?.code {
    case .forbidden?: isOfGuest
    case .gone?: path == "page"
    case .badAction?: verb == "dance"
    case .refused?: isRefused && nack?.message == Self.refusal(of: name)
    case nil: !isRefused && verb != "dance"
    default: false
    }
  }

  /// Why the app refuses an action: each for a reason of its own.
  ///
  /// - Parameter name: the action's.
  /// - Returns: the reason.
  static func refusal(of name: Int) -> String { "The book has no room for \(name)." }
}
