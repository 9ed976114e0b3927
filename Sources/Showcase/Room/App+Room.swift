import RibCore
import RibServer

/// What a client says when it enters the room.
struct RoomParameters: Codable, Sendable {
  /// The longest name, in characters.
  static let longestName = 40
  /// Bytes of a name: a character may have any number of them, and everybody's names are compared and sorted by everybody's sessions.
  static let nameSize = 200

  /// The person's name; made up if there is none.
  ///
  /// A client may say any name, and nothing checks it: good enough for a sample. In an app, what authenticates its
  /// clients says who a person is.
  var name: String?

  /// The name that the others see.
  func name(in session: SessionContext) -> String {
    let name = String((name ?? "").prefix(Self.longestName))
    return name.isEmpty || name.utf8.count > Self.nameSize ? "Guest \(session.id.prefix(4))" : name
  }
}

extension App {
  /// The chat room.
  static func room(_ store: MessageStore = MessageStore(), clock: any Clock<Duration>) -> App {
    let hub = RoomHub(messages: RoomMessages(store))
    let gate = FloodGate(clock: clock)
    return App("room", parameters: RoomParameters.self) { parameters, session in
      Room(me: parameters.name(in: session), session: session, hub: hub, clock: clock)
    }
    .middleware { action, session in gate.decide(action, session) }
    .onEnd { session in store.forget(session: session.id) }
  }
}
