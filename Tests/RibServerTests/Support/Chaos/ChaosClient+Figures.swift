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

  /// Looks at a new view: nothing that was seen is taken back, and nothing is seen that was not answered.
  func look() {
    guard let view else { return deviate("The view is another one's: \(session.view?.text ?? "none")") }
    if let last = lastView,
      view.count < last.count || view.paid < last.paid || view.lastPayment < last.lastPayment
    {
      figures.takenBack += 1
      deviate("The view went back: \(last) became \(view).")
    }
    // Of the other one's actions it is known that they were sent.
    let most = party?.0.sent ?? model.counted
    if view.count > most { deviate("The view counts \(view.count); \(most) were answered, or sent by the other.") }
    lastView = view
    model.look(at: view, covered: session.coveredNumber)
  }

  /// Whether it was given a session; on any thread.
  var hasSession: Bool { told.withLock { $0.sessionID != nil } }
  /// How often a server has welcomed it; on any thread.
  var welcomes: Int { told.withLock { $0.welcomes } }

  /// What the client was told, for those who look at what is committed.
  struct Told {
    var sessionID: String?
    var clientID = 1
    var welcomes = 0
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
    /// Connections that were refused or reset, and those that were closed without a word.
    var broken = 0
    var cut = 0
    /// The times for which servers have had the client wait.
    var waits = ChaosWaits()

    /// Counts the end of a connection.
    mutating func count(_ end: ChaosLink.End) {
      if end.isBroken { broken += 1 } else if end.code == nil { cut += 1 }
    }
  }
}
