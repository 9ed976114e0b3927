import RibClient
import Synchronization
import Wire

extension ChaosClient {
  /// What it shows; nil before the first view.
  var view: LedgerView? { LedgerView(session.view) }
  /// A sentence about where it is.
  var summary: String {
    "client \(id): session \(session.lastWelcome?.sessionID ?? "none"), sent \(model.sent), covered \(session.coveredNumber), "
      + "outbox \(session.outbox.count), \(link == nil ? "away" : session.welcome == nil ? "greeting" : "live"), "
      + "count \(lastView?.count ?? -1), paid \(lastView?.paid ?? -1) of \(lastView?.lastPayment ?? -1)"
  }

  /// Whether it was given a session; on any thread.
  var hasSession: Bool { told.withLock { $0.sessionID != nil } }

  /// What the client was told, for those who look at what is committed.
  struct Told {
    var sessionID: String?
    var clientID = 1
    var number = 0
    var count = 0
  }

  /// What has happened to the clients, all together.
  struct Figures {
    var connections = 0
    var resumes = 0
    var doubles = 0
    var checks = 0
    var drains = 0
    var takenBack = 0
    /// How often a server of another version could not read its session.
    var turnedAway = 0
    /// Sessions of others that were joined, and tokens for that which were used up on the way.
    var joins = 0
    var lostTokens = 0
    /// Identities that were renewed in time, and those that were over before.
    var renewals = 0
    var expiries = 0
  }
}
