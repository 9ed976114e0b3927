import RibCore

/// The messages of the room, as long as the process lives, or the cluster: a database stands here in an app.
struct MessageStore: Sendable {
  /// How many messages are kept: the newest.
  static let size = 1_000

  private struct Log: Codable, Sendable {
    var messages: [Message] = []
    var lastID = 0
    /// The messages that each session has posted, by the keys of its requests.
    var posted: [String: [String: Message]] = [:]
  }

  private let log = ClusterValue(name: "room.log", Log())

  /// Keeps a new message.
  ///
  /// - Parameters:
  ///   - text: what is said.
  ///   - author: the name of the person who says it.
  ///   - session: the session that posts it.
  ///   - key: names the request: a second one with the key of the first changes nothing.
  /// - Returns: the message, also to a repeated request.
  /// - Throws: `CancellationError` if nobody waits for it any more.
  func post(_ text: String, by author: String, session: String, key: String) async throws -> Message {
    log.update { log in
      guard log.posted[session]?[key] == nil else { return }
      log.lastID += 1
      let message = Message(id: log.lastID, author: author, text: text)
      log.messages.append(message)
      if log.messages.count > Self.size { log.messages.removeFirst() }
      log.posted[session, default: [:]][key] = message
    }
    for await log in log.subscribe() { if let message = log.posted[session]?[key] { return message } }
    throw CancellationError()
  }

  /// Removes a message, if it is there and its author's.
  func remove(id: Int, by author: String) {
    log.update { log in log.messages.removeAll { $0.id == id && $0.author == author } }
  }

  /// At most `count` messages, the newest before one or of all, oldest first.
  func page(before id: Int?, count: Int) -> [Message] {
    Array(log.value.messages.filter { $0.id < id ?? .max }.suffix(count))
  }

  /// Forgets the keys of a session that has ended: nothing repeats its requests.
  func forget(session: String) { log.update { $0.posted[session] = nil } }
}
