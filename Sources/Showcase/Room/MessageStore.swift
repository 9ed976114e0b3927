import RibCore

/// The messages of the room, which all nodes of a cluster have: a database stands here in an app.
struct MessageStore: Sendable {
  /// How many messages are kept: the newest.
  static let size = 1_000

  /// How many requests of a session are known, to which a repetition is answered.
  static let requests = 50

  private struct Log: Codable, Sendable {
    var messages: [Message] = []
    var lastID = 0
    /// What each session has posted last.
    var posted: [String: [Request]] = [:]

    func id(of key: String, _ session: String) -> Int? { posted[session]?.last { $0.key == key }?.id }
  }

  private struct Request: Codable, Sendable {
    let key: String
    let id: Int
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
      guard log.id(of: key, session) == nil else { return }
      log.lastID += 1
      log.messages.append(Message(id: log.lastID, author: author, text: text))
      if log.messages.count > Self.size { log.messages.removeFirst() }
      log.posted[session, default: []].append(Request(key: key, id: log.lastID))
      if log.posted[session, default: []].count > Self.requests { log.posted[session]?.removeFirst() }
    }
    for await log in log.subscribe() {
      guard let id = log.id(of: key, session) else { continue }
      return log.messages.last { $0.id == id } ?? Message(id: id, author: author, text: text)
    }
    throw CancellationError()
  }

  /// Removes a message, if it is there and its author's.
  ///
  /// - Throws: `CancellationError` if nobody waits for it any more.
  func remove(id: Int, by author: String) async throws {
    log.update { log in log.messages.removeAll { $0.id == id && $0.author == author } }
    for await log in log.subscribe() where !log.messages.contains(where: { $0.id == id && $0.author == author }) {
      return
    }
    throw CancellationError()
  }

  /// At most `count` messages, the newest before one or of all, oldest first.
  func page(before id: Int?, count: Int) -> [Message] {
    Array(log.value.messages.filter { $0.id < id ?? .max }.suffix(count))
  }

  /// Forgets the keys of a session that has ended: nothing repeats its requests.
  func forget(session: String) { log.update { $0.posted[session] = nil } }
}
