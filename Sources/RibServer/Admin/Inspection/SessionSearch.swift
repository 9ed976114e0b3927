/// A search for the sessions of a server that come first in some order.
package struct SessionSearch: Codable, Hashable, Sendable {
  /// How many sessions are told of at most.
  package static let limit = 200

  /// The figure by which sessions are ordered, the greatest first.
  package enum Order: String, Codable, CaseIterable, Sendable {
    /// The estimated memory.
    case memory
    /// Actions in the last minute.
    case actions
    /// Bytes of patches in the last minute.
    case patches
    /// The time for which the session has kept its loop busy.
    case busy
    /// The longest transaction.
    case longest
    /// Transactions of ten milliseconds or more.
    case slow
    /// The time since the session came into memory.
    case age
    /// The time since something happened in the session.
    case idle
    /// Connected clients.
    case clients
    /// Nodes of the tree.
    case nodes
    /// The view's revision.
    case revision
  }

  /// The order.
  package var order: Order
  /// Whether the smallest comes first.
  package var isReversed: Bool
  /// The app; nil for any.
  package var app: String?
  /// A part of the person's subject, or the beginning of the session's id; empty for any.
  package var text: String
  /// How many sessions are told of: at most ``limit``.
  package var count: Int

  /// A search.
  ///
  /// - Parameters:
  ///   - order: by what the sessions are ordered; by memory unless given.
  ///   - isReversed: whether the smallest comes first.
  ///   - app: the app; nil for any.
  ///   - text: a part of the person's subject, or the beginning of the session's id.
  ///   - count: how many sessions are told of; at least 1, at most ``limit``.
  package init(
    order: Order = .memory, isReversed: Bool = false, app: String? = nil, text: String = "", count: Int = 50
  ) {
    self.order = order
    self.isReversed = isReversed
    self.app = app
    self.text = text
    self.count = min(max(count, 1), Self.limit)
  }
}

/// The sessions that come first.
package struct SessionList: Codable, Equatable, Sendable {
  /// The sessions, in the order that was asked for.
  package var rows: [ListedSession] = []
  /// How many sessions are what was asked for, of which ``rows`` are the first.
  package var matchCount = 0
  /// How many sessions were looked at: those in memory, and those at rest with a client connected here.
  package var totalCount = 0

  /// No sessions.
  package init() {}
}

/// A session among others.
package struct ListedSession: Codable, Equatable, Identifiable, Sendable {
  /// The session's name.
  package var id = ""
  /// The app; empty for a session at rest, of which only the store knows it.
  package var app = ""
  /// The person who has begun the session, or the first one who is connected; nil for nobody.
  package var subject: String?
  /// Whether the session is in memory.
  package var state = SessionWhereabouts.awake
  /// Connected clients.
  package var clients = 0
  /// When the session came into memory, in seconds since 1970; 0 for one at rest, as all figures below.
  package var since = 0
  /// When something happened in it last, in seconds since 1970.
  package var changed = 0
  /// The view's revision.
  package var revision = 0
  /// Nodes of the tree.
  package var nodes = 0
  /// Bytes of memory, estimated.
  package var memory = 0
  /// Actions in the last minute.
  package var actionsPerMinute = 0
  /// Bytes of patches in the last minute.
  package var patchBytesPerMinute = 0
  /// Microseconds for which the session has kept its loop busy.
  package var busy = 0
  /// The longest transaction, in microseconds.
  package var longest = 0
  /// Transactions of ten milliseconds or more.
  package var slow = 0

  /// A session of which nothing is known.
  package init() {}
}

/// Where a session is, as a server sees it.
package enum SessionWhereabouts: String, Codable, CaseIterable, Sendable {
  /// In memory.
  case awake
  /// On its way out of memory.
  case resting
  /// At rest, with a client connected here.
  case asleep
  /// Not here: at rest without a client, with another process, or over.
  case elsewhere
}
