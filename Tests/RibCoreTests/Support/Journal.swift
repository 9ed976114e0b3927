/// What riblets did, in order.
final class Journal {
  private var entries: [String] = []

  func note(_ entry: String) { entries.append(entry) }

  /// The entries since the last call.
  func take() -> [String] {
    defer { entries = [] }
    return entries
  }
}
