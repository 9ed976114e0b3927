import RibCore

/// A notice on the board.
struct Notice: Codable, Equatable, Identifiable, Sendable {
  /// Greater than the id of each earlier notice.
  let id: Int
  /// The subject of the person who has posted it.
  let author: String
  let text: String
}

/// The notices that all members read, for as long as the process lives, or the cluster.
struct Board: Codable, Equatable, Sendable {
  /// How many notices there are at most: a further one removes the oldest.
  static let size = 50

  private(set) var notices: IdentifiedArray<Notice> = []
  private var lastID = 0

  /// Puts a notice up.
  mutating func post(_ text: String, by author: String) {
    lastID += 1
    notices.append(Notice(id: lastID, author: author, text: text))
    if notices.count > Self.size { notices.removeFirst() }
  }

  /// Takes a notice down, if it is there.
  mutating func erase(id: Int) { notices.remove(id: id) }
}
