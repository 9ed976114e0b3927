import RibCore

/// What the sessions in the room share, on whichever node they are.
struct RoomHub: Sendable {
  let messages: RoomMessages
  /// Tells each session what happens.
  var events = Topic<RoomEvent>(name: "room.events", bufferSize: 1_024)
  /// Who is there.
  var guests = Presence<Guest>(name: "room.guests")

  /// Somebody who is there, with one or several sessions.
  struct Guest: Codable, Equatable, Identifiable, Sendable {
    let name: String
    var id: String { name }
  }
}

/// What the room asks of its database.
struct RoomMessages: Sendable {
  /// Keeps a new message, once for each session and key.
  let post: @Sendable (_ text: String, _ author: String, _ session: String, _ key: String) async throws -> Message
  /// Removes a message of an author.
  let remove: @Sendable (_ id: Int, _ author: String) async throws -> Void
  /// The newest messages, or those before one, oldest first.
  let page: @Sendable (_ before: Int?, _ count: Int) async throws -> [Message]
}

extension RoomMessages {
  /// The messages of a store.
  init(_ store: MessageStore) {
    self.init(
      post: { try await store.post($0, by: $1, session: $2, key: $3) },
      remove: { try await store.remove(id: $0, by: $1) },
      page: { store.page(before: $0, count: $1) })
  }
}
