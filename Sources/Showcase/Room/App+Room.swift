import RibCore
import RibServer

/// What a client says when it enters the room.
struct RoomParameters: Codable, Sendable {
  /// The longest name, in characters.
  static let longestName = 40

  /// The person's name; made up if there is none.
  ///
  /// Whoever connects says it, and nobody checks it: good enough for a sample. Who a person is, an app is told by what
  /// authenticates its clients.
  var name: String?
}

extension App {
  /// The chat room.
  static func room(_ store: MessageStore = MessageStore()) -> App {
    let hub = RoomHub(messages: RoomMessages(store))
    return App("room", parameters: RoomParameters.self) { parameters, session in
      let name = parameters.name.map { String($0.prefix(RoomParameters.longestName)) } ?? ""
      return Room(me: name.isEmpty ? "Guest \(session.id.prefix(4))" : name, session: session, hub: hub)
    }.onEnd { session in store.forget(session: session.id) }
  }
}
