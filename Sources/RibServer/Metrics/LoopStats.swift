import Wire

/// A loop's counts since the server's start: plain numbers that only the loop writes, so that an action costs some additions.
///
/// They are added up when somebody asks for the server's metrics.
struct LoopStats: Sendable {
  /// Counts for all apps together.
  enum Count: Int, CaseIterable {
    // Connections.
    case accepted, overLimit, overAddressLimit, dropped
    /// Bytes.
    case received, sent
    // Connections that are not read from for a while.
    case pausedByRate, pausedByReader, pausedByCommit
    // Clients that come back.
    case resumedWithPatches, resumedWithSnapshot, refusedResumes
    // Views that were sent whole.
    case snapshotsAtStart, snapshotsForResumes, overdueSnapshots
    /// Sessions that have left this process for another.
    case moved
  }

  /// Counts for each app.
  enum AppCount: Int, CaseIterable {
    // Actions of clients.
    case applied, repeated
    /// Bytes.
    case patchBytes
    case started
    // Ends of sessions.
    case endedByGoodbye, endedByAbsence, endedByFailure, endedByDismissal
    // Effects.
    case effectsStarted, effectsFinished, effectsFailed, effectsCancelled
  }

  /// The counts of one app.
  struct OfApp: Sendable {
    /// By ``AppCount``.
    fileprivate var counts = [UInt64](repeating: 0, count: AppCount.allCases.count)
    /// Refused actions.
    var refused: [Nack.Code: UInt64] = [:]
    /// How long transactions took.
    var transactions = TimeCells()

    /// A count.
    subscript(_ count: AppCount) -> UInt64 { counts[count.rawValue] }

    /// Counts something.
    mutating func note(_ count: AppCount, times: Int = 1) { counts[count.rawValue] &+= UInt64(times) }

    fileprivate mutating func add(_ other: OfApp) {
      for index in counts.indices { counts[index] &+= other.counts[index] }
      refused.merge(other.refused, uniquingKeysWith: &+)
      transactions.add(other.transactions)
    }
  }

  /// The labels of a request.
  struct RequestKind: Hashable, Sendable {
    /// The method; `_OTHER` for one that is unknown here.
    let method: String
    /// The path, with names in braces for what varies; empty for a path that leads nowhere.
    let route: String
    /// The status of the answer.
    let status: Int
  }

  /// The labels of an answer of the authenticator.
  struct AuthenticationKind: Hashable, Sendable {
    /// The client's purpose: to begin, to resume, to join, to renew; or a recheck.
    let purpose: String
    /// The authenticator's answer, or the reason why it was not asked.
    let outcome: String
  }

  /// By the app's number: see ``ServerContext/number(ofApp:)``.
  var apps: [OfApp] = []
  /// By ``Count``.
  private var counts = [UInt64](repeating: 0, count: Count.allCases.count)
  /// Connections that have ended, by the reason.
  var endedConnections: [String: UInt64] = [:]
  /// How long connections lasted, by what they carried.
  var connectionTimes: [Connection.Kind: TimeCells] = [:]
  /// Requests that were refused before anybody looked at what they ask for, by the reason.
  var refusedRequests: [String: UInt64] = [:]
  /// How long it took to answer requests.
  var requestTimes: [RequestKind: TimeCells] = [:]
  /// Answers of the authenticator.
  var authentications: [AuthenticationKind: UInt64] = [:]
  /// How long the authenticator took.
  var authenticationTimes = TimeCells()
  /// From the moment at which an action was read to that at which its answer may be sent.
  var answerTimes = TimeCells()
  /// How late jobs were that the loop was given.
  var lag = TimeCells()
  /// Actions of the present batch of events that were answered at once.
  var answeredInTurn = 0

  /// A count.
  subscript(_ count: Count) -> UInt64 { counts[count.rawValue] }

  /// Counts something.
  mutating func note(_ count: Count, times: Int = 1) { counts[count.rawValue] &+= UInt64(times) }

  /// Counts a connection by what becomes of it.
  ///
  /// - Parameters:
  ///   - admission: what becomes of it.
  ///   - isFull: whether its place has as many connections as it may have.
  mutating func note(_ admission: ConnectionCounter.Admission, isFull: Bool) {
    switch admission {
    case .admitted: note(.accepted)
    case .turnedAway: note(isFull ? .overAddressLimit : .overLimit)
    case .dropped: note(.dropped)
    }
  }

  /// Counts something of an app.
  mutating func note(_ count: AppCount, ofApp number: Int) {
    makeRoom(forApps: number + 1)
    apps[number].note(count)
  }

  /// Has room for apps.
  ///
  /// - Parameter count: the highest number of an app, and 1.
  mutating func makeRoom(forApps count: Int) {
    while apps.count < count { apps.append(OfApp()) }
  }

  /// Adds what another loop has counted.
  mutating func add(_ other: LoopStats) {
    makeRoom(forApps: other.apps.count)
    for index in other.apps.indices { apps[index].add(other.apps[index]) }
    for index in counts.indices { counts[index] &+= other.counts[index] }
    endedConnections.merge(other.endedConnections, uniquingKeysWith: &+)
    connectionTimes.merge(other.connectionTimes, uniquingKeysWith: Self.sum)
    refusedRequests.merge(other.refusedRequests, uniquingKeysWith: &+)
    requestTimes.merge(other.requestTimes, uniquingKeysWith: Self.sum)
    authentications.merge(other.authentications, uniquingKeysWith: &+)
    authenticationTimes.add(other.authenticationTimes)
    answerTimes.add(other.answerTimes)
  }

  private static func sum(_ one: TimeCells, _ other: TimeCells) -> TimeCells {
    var sum = one
    sum.add(other)
    return sum
  }
}
