/// What somebody has said in the room.
struct Message: Codable, Equatable, Identifiable, Sendable {
  /// Greater than that of each message before.
  let id: Int
  let author: String
  let text: String
}

/// What happens in the room, as the sessions of everybody in it are told.
enum RoomEvent: Codable, Equatable, Sendable {
  case posted(Message)
  case removed(id: Int)
}
