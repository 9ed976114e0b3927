import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The messages of the room, as long as the process lives: a database stands here in an app.
final class MessageStore: Sendable {
  private struct Content {
    var messages: [Message] = []
    var lastID = 0
    /// The messages that each session has posted, by the keys of its requests.
    var posted: [String: [String: Message]] = [:]
  }

  private let content = Mutex(Content())
  private let date: @Sendable () -> Date

  /// An empty store.
  ///
  /// - Parameter date: the time of a new message.
  init(date: @escaping @Sendable () -> Date = { Date() }) { self.date = date }

  /// Keeps a new message.
  ///
  /// - Parameters:
  ///   - text: what is said.
  ///   - author: the name of the person who says it.
  ///   - session: the session that posts it.
  ///   - key: names the request: a second one with the key of the first changes nothing.
  /// - Returns: the message, also to a repeated request.
  /// - Throws: what a database would throw; this one never fails.
  func post(_ text: String, by author: String, session: String, key: String) async throws -> Message {
    content.withLock { content in
      if let message = content.posted[session]?[key] { return message }
      content.lastID += 1
      let message = Message(id: content.lastID, author: author, text: text, time: date())
      content.messages.append(message)
      content.posted[session, default: [:]][key] = message
      return message
    }
  }

  /// Removes a message, if it is there and its author's.
  func remove(id: Int, by author: String) async throws {
    content.withLock { content in content.messages.removeAll { $0.id == id && $0.author == author } }
  }

  /// The newest messages, oldest first.
  ///
  /// - Parameters:
  ///   - id: only messages before this one; nil for all.
  ///   - count: at most so many.
  /// - Returns: the messages, oldest first.
  /// - Throws: what a database would throw; this one never fails.
  func page(before id: Int?, count: Int) async throws -> [Message] {
    content.withLock { content in Array(content.messages.filter { $0.id < id ?? .max }.suffix(count)) }
  }

  /// Forgets the keys of a session that has ended: nothing repeats its requests.
  func forget(session: String) { content.withLock { $0.posted[session] = nil } }
}
