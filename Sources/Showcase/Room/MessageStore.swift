/// The messages of the room, as long as the process lives: a database stands here in an app.
actor MessageStore {
  private var messages: [Message] = []
  private var lastID = 0
  /// The messages that each session has posted, by the keys of its requests.
  private var posted: [String: [String: Message]] = [:]

  /// Keeps a new message.
  ///
  /// - Parameters:
  ///   - text: what is said.
  ///   - author: the name of the person who says it.
  ///   - session: the session that posts it.
  ///   - key: names the request: a second one with the key of the first changes nothing.
  /// - Returns: the message, also to a repeated request.
  func post(_ text: String, by author: String, session: String, key: String) -> Message {
    if let message = posted[session]?[key] { return message }
    lastID += 1
    let message = Message(id: lastID, author: author, text: text)
    messages.append(message)
    posted[session, default: [:]][key] = message
    return message
  }

  /// Removes a message, if it is there and its author's.
  func remove(id: Int, by author: String) { messages.removeAll { $0.id == id && $0.author == author } }

  /// At most `count` messages, the newest before one or of all, oldest first.
  func page(before id: Int?, count: Int) -> [Message] { Array(messages.filter { $0.id < id ?? .max }.suffix(count)) }

  /// Forgets the keys of a session that has ended: nothing repeats its requests.
  func forget(session: String) { posted[session] = nil }
}
