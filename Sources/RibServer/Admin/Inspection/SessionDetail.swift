/// A session as an operator sees it.
///
/// The figures count from the moment at which the session came into memory.
package struct SessionDetail: Codable, Equatable, Sendable {
  /// The session among others.
  package var row = ListedSession()
  /// The session's cost so far.
  package var cost = SessionCost()
  /// The clients that have ever come.
  package var clients: [SessionClient] = []
  /// Refusals of which their clients have not said that they have heard, the newest last; 50 at most.
  package var refusals: [SessionRefusal] = []
  /// The tree's nodes, by id; 500 at most.
  package var nodes: [SessionNode] = []
  /// Actions and effects that once made a process die, and have not gone well since.
  package var crashes: [SessionCrash] = []
  /// Effects that run.
  package var effects = 0
  /// Whether everything that has happened is in the store.
  package var isCommitted = true
  /// Whether the session is recorded.
  package var isRecorded = false
  /// The view document as JSON, as clients have it; nil unless `admin.showsState` allows to see it.
  package var view: String?
  /// The states of the riblets as JSON, by node; nil unless `admin.showsState` allows to see them.
  package var states: String?
  /// The transactions since somebody looks, the newest last; 200 at most.
  package var events: [WatchedEvent] = []

  /// A session of which nothing is known.
  package init() {}
}

/// The cost of a session since it came into memory.
package struct SessionCost: Codable, Equatable, Sendable {
  /// Actions and steps back that were applied or refused; one that a client repeats counts once.
  package var actions = 0
  /// Microseconds for which the loop was busy with the session.
  package var busy = 0
  /// The longest transaction, in microseconds.
  package var longest = 0
  /// Transactions of ten milliseconds or more.
  package var slow = 0
  /// Bytes of patches.
  package var patchBytes = 0
  /// Views that were sent whole.
  package var snapshots = 0
  /// Bytes that were given to the store.
  package var commitBytes = 0
  /// Bytes of memory, estimated: the sum of what follows, and what a node costs.
  package var memory = 0
  /// Bytes of the view.
  package var viewBytes = 0
  /// Bytes of the states as they are saved; 0 before the first commit.
  package var stateBytes = 0
  /// Bytes of patches that are kept for clients that come back.
  package var historyBytes = 0
  /// Bytes that wait for clients.
  package var queueBytes = 0

  /// A session that has cost nothing.
  package init() {}
}

/// A client of a session.
package struct SessionClient: Codable, Equatable, Identifiable, Sendable {
  /// The transport of the client's messages.
  package enum Transport: String, Codable, Sendable {
    /// A WebSocket.
    case websocket
    /// A stream of events.
    case events
    /// The client is away, or makes single requests.
    case none
  }

  /// The client's number within the session.
  package var id = 0
  /// Whether the client may act, or look only.
  package var mayAct = true
  /// How it is connected.
  package var transport = Transport.none
  /// Whether the client cannot come back.
  package var isRetired = false
  /// The person behind the client; nil for nobody.
  package var subject: String?
  /// The authority that knows the person.
  package var issuer: String?
  /// The person's roles, in alphabetical order.
  package var roles: [String] = []
  /// When the person's credential expires, in seconds since 1970; nil for never.
  package var expires: Int?
  /// The client's address; nil if it is away.
  package var address: String?
  /// The program that draws the view, and its version.
  package var program = ""
  /// The number of the client's last action.
  package var number = 0
  /// Bytes that wait for the client.
  package var queueBytes = 0
  /// Whether patches are left out, as the client does not read.
  package var isCongested = false

  /// A client of which nothing is known.
  package init() {}
}

/// An action that was refused.
package struct SessionRefusal: Codable, Equatable, Identifiable, Sendable {
  /// The client and the action's number: `1.17`.
  package let id: String
  /// The client.
  package var client: Int
  /// The action's number.
  package var number: Int
  /// The code of the `nack`.
  package var code: String
  /// The reason that the client was given; nil unless `admin.showsState` allows to see it.
  package var message: String?

  /// A refusal.
  package init(client: Int, number: Int, code: String, message: String?) {
    id = "\(client).\(number)"
    self.client = client
    self.number = number
    self.code = code
    self.message = message
  }
}

/// A node of a session's tree.
package struct SessionNode: Codable, Equatable, Identifiable, Sendable {
  /// The node's id.
  package var id: Int
  /// The parent's id; nil for the root.
  package var parent: Int?
  /// The riblet's type.
  package var type: String
  /// The route by which the parent has it; empty for the root.
  package var route: String
  /// Whether the riblet takes actions and runs effects.
  package var isActive: Bool
  /// The version of the state's shape.
  package var stateVersion: Int
  /// The names of the effects that run: empty for an effect without a name, and `…` for a name that may have what a user has typed, unless
  /// `admin.showsState` allows to see it.
  package var effects: [String]
}

/// Something of a session that made a process die.
package struct SessionCrash: Codable, Equatable, Identifiable, Sendable {
  /// The client and the number: `1.17`.
  package let id: String
  /// The client whose action it was; 0 for none.
  package var client: Int
  /// The action; without a client 0 if the session was coming back into memory, otherwise the number of an effect.
  package var number: Int
  /// How often.
  package var count: Int
  /// Whether it is not run again.
  package var isPoisoned: Bool

  /// A crash.
  package init(client: Int, number: Int, count: Int, isPoisoned: Bool) {
    id = "\(client).\(number)"
    self.client = client
    self.number = number
    self.count = count
    self.isPoisoned = isPoisoned
  }
}

/// Something that has happened in a session while somebody looks.
package struct WatchedEvent: Codable, Equatable, Identifiable, Sendable {
  /// Counts the events since somebody looks.
  package var id: Int
  /// When it happened, in milliseconds since 1970.
  package var time: Int
  /// The kind of event: `action`, `effect` or `back` for a transaction; the names of the tree's events otherwise.
  package var kind: String
  /// The riblet's type; empty if it is about none.
  package var riblet: String
  /// The event's text, for a person.
  package var text: String
  /// How long the loop was busy, in microseconds; nil for what is part of a transaction.
  package var duration: Int?
}
