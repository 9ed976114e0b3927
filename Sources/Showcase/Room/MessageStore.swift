import RibCore

/// The messages of the room, which all nodes of a cluster have: a database stands here in an app.
struct MessageStore: Sendable {
  /// How many messages are kept: the newest.
  static let size = 1_000
  /// Bytes of the names and the texts that are kept, in UTF-8: a cluster value holds a mebibyte of JSON, in which a byte takes up to six.
  static let byteSize = 128 << 10
  /// Bytes of the name and the text of one message.
  static let messageSize = 16 << 10
  /// How many requests of a session are known, to which a repetition is answered.
  static let requests = 50
  /// How long a request waits for the store.
  static let patience = Duration.seconds(10)

  /// What the store has.
  struct Log: Codable, Sendable {
    fileprivate var messages: [Message] = []
    fileprivate var lastID = 0
    /// What each session has posted last.
    fileprivate var posted: [String: [Request]] = [:]

    fileprivate func id(of key: String, _ session: String) -> Int? { posted[session]?.last { $0.key == key }?.id }

    fileprivate mutating func add(_ text: String, by author: String, _ session: String, _ key: String) {
      lastID += 1
      messages.append(Message(id: lastID, author: author, text: text))
      posted[session, default: []].append(Request(key: key, id: lastID))
      if posted[session, default: []].count > MessageStore.requests { posted[session]?.removeFirst() }
      trim()
    }

    /// Forgets the oldest messages, and requests that are older than all that are kept: also of sessions whose end was not told.
    private mutating func trim() {
      var bytes = messages.reduce(0) { $0 + $1.byteCount }
      let extra = messages.prefix { message in
        let isExtra = bytes > MessageStore.byteSize
        bytes -= message.byteCount
        return isExtra
      }
      messages.removeFirst(max(extra.count, messages.count - MessageStore.size))
      posted = posted.compactMapValues { requests in
        let known = requests.filter { $0.id > lastID - MessageStore.size }
        return known.isEmpty ? nil : known
      }
    }
  }

  fileprivate struct Request: Codable, Sendable {
    let key: String
    let id: Int
  }

  /// A request to which there is no answer of the store.
  enum Failure: Error {
    /// There was none in time: it may be carried out later.
    case noAnswer
    /// The message is longer than the store keeps.
    case tooLong
  }

  private let log: ClusterValue<Log>
  private let clock: any Clock<Duration>

  /// A store.
  ///
  /// - Parameters:
  ///   - log: what it has; there is one of its name in a process.
  ///   - clock: what it waits by.
  init(
    _ log: ClusterValue<Log> = ClusterValue(name: "room.log", Log()), clock: any Clock<Duration> = ContinuousClock()
  ) {
    (self.log, self.clock) = (log, clock)
  }

  /// Keeps a new message.
  ///
  /// - Parameters:
  ///   - text: what is said.
  ///   - author: the name of the person who says it.
  ///   - session: the session that posts it.
  ///   - key: names the request: a second one with the key of the first changes nothing.
  /// - Returns: the message, also to a repeated request.
  /// - Throws: ``Failure``, or `CancellationError` if nobody waits for it any more.
  func post(_ text: String, by author: String, session: String, key: String) async throws -> Message {
    guard Message(id: 0, author: author, text: text).byteCount <= Self.messageSize else { throw Failure.tooLong }
    log.update { log in if log.id(of: key, session) == nil { log.add(text, by: author, session, key) } }
    return try await answer { log in
      log.id(of: key, session).map { id in
        log.messages.last { $0.id == id } ?? Message(id: id, author: author, text: text)
      }
    }
  }

  /// Removes a message, if it is there and its author's.
  ///
  /// - Throws: ``Failure``, or `CancellationError` if nobody waits for it any more.
  func remove(id: Int, by author: String) async throws {
    log.update { log in log.messages.removeAll { $0.id == id && $0.author == author } }
    try await answer { log in log.messages.contains { $0.id == id && $0.author == author } ? nil : () }
  }

  /// Waits until the store has carried a request out.
  private func answer<Answer: Sendable>(_ find: @escaping @Sendable (Log) -> Answer?) async throws -> Answer {
    if let answer = find(log.value) { return answer }
    return try await withThrowingTaskGroup(of: Answer.self) { group in
      group.addTask { [log] in
        for await log in log.subscribe() { if let answer = find(log) { return answer } }
        throw CancellationError()
      }
      group.addTask { [clock] in
        try await clock.sleep(for: Self.patience)
        throw Failure.noAnswer
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { throw CancellationError() }
      return answer
    }
  }

  /// At most `count` messages, the newest before one or of all, oldest first.
  func page(before id: Int?, count: Int) -> [Message] {
    Array(log.value.messages.filter { $0.id < id ?? .max }.suffix(count))
  }

  /// Forgets the keys of a session that has ended: nothing repeats its requests.
  func forget(session: String) {
    // Most have posted nothing: the log is not written for them.
    if log.value.posted[session] != nil { log.update { $0.posted[session] = nil } }
  }
}

extension Message {
  /// Bytes of the author's name and the text.
  fileprivate var byteCount: Int { author.utf8.count + text.utf8.count }
}
