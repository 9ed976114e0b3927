/// A server at one moment, for an operator: what it has, and how quick it was since somebody looked last.
package struct ServerOverview: Codable, Equatable, Sendable {
  /// Open connections, by what they carry.
  package struct Connections: Codable, Equatable, Sendable {
    /// Requests of HTTP.
    package var http = 0
    /// Sessions over a WebSocket.
    package var websocket = 0
    /// Sessions over a stream of events.
    package var events = 0

    /// No connections.
    package init() {}
  }

  /// Sessions, by where they are.
  package struct Sessions: Codable, Equatable, Sendable {
    /// Sessions in memory.
    package var awake = 0
    /// Sessions at rest with a client connected.
    package var asleep = 0
    /// Sessions that the store has; nil before the store has said it.
    package var stored: Int?

    /// No sessions.
    package init() {}
  }

  /// The server's version.
  package var version = ""
  /// When the process was started, in seconds since 1970.
  package var started = 0
  /// When this was looked at, in seconds since 1970.
  package var time = 0
  /// Whether clients are asked to go elsewhere, as the server is to stop.
  package var isDraining = false
  /// Whether the session store fails.
  package var isStoreFailing = false
  /// Whether the process has more memory than it may have.
  package var isOverMemory = false
  /// Threads that serve connections.
  package var loops = 0
  /// The loops that have not answered within a second.
  package var silentLoops = 0
  /// Open connections.
  package var connections = Connections()
  /// Sessions.
  package var sessions = Sessions()
  /// Effects that run.
  package var effects = 0
  /// Bytes of memory that the process has.
  package var residentBytes = 0
  /// Descriptors that are open.
  package var descriptors = 0
  /// Descriptors that may be open.
  package var descriptorLimit = 0
  /// Activities that were found at the start to have made a process die.
  package var crashesFound = 0
  /// Looks of the last five minutes, the newest last: there are some only of the time in which somebody has looked.
  package var samples: [OverviewSample] = []

  /// A server of which nothing is known.
  package init() {}
}

/// The server's work between two looks.
package struct OverviewSample: Codable, Equatable, Identifiable, Sendable {
  /// Counts the looks since the server's start.
  package var id = 0
  /// When it was looked at, in seconds since 1970.
  package var time = 0
  /// Actions a second that were applied.
  package var actionsPerSecond = 0.0
  /// Actions a second that were refused.
  package var refusalsPerSecond = 0.0
  /// Half of the answers took no longer, in microseconds; nil if there was no answer.
  package var answerP50: Int?
  /// Ninety-nine of a hundred answers took no longer, in microseconds.
  package var answerP99: Int?
  /// The 99th percentile of how long a job waited for its loop, in microseconds; nil if that was not measured.
  package var lagP99: Int?
  /// The 99th percentile of how long commits took, in microseconds; nil if there was none.
  package var commitP99: Int?
  /// Bytes of memory that the process has.
  package var residentBytes = 0
  /// Sessions in memory.
  package var awake = 0
  /// Open connections.
  package var connections = 0
  /// The share of one processor that the process has used, in percent.
  package var processorPercent = 0.0

  /// A look that has seen nothing.
  package init() {}
}
