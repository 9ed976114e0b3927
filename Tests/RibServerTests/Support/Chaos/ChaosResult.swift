import Synchronization

/// What has become of the clients' sessions, compared with what they were told.
struct ChaosResult {
  private(set) var deviations: [String] = []
  /// Actions that were reported as applied and are not there, and those that are there more often.
  private(set) var lost = 0
  private(set) var doubled = 0
  private let takenBack: Int

  /// Compares, once everything has ended.
  init(
    _ seed: UInt64, _ clients: [ChaosClient], _ twins: [ChaosTwin], _ stored: [String: LedgerAudit.Stored],
    _ audit: LedgerAudit
  ) {
    takenBack = clients.reduce(0) { $0 + $1.figures.takenBack }
    deviations = audit.deviations
    var counted: [String: Int] = [:]
    var open: [String: Int] = [:]
    for client in clients {
      let told = client.told.withLock { $0 }
      deviations += client.deviations
      // Who was signed out does not learn what became of what it has sent last.
      if client.hasLeft {
        open[told.sessionID ?? "", default: 0] += client.model.openCount
        counted[told.sessionID ?? "", default: 0] += client.model.counted
        continue
      }
      if !client.isSettled { deviations.append("It has not come to rest: \(client.summary)\n\(client.recent)") }
      compare(told, client.model, stored, audit) { "\(client.summary)\n\(client.recent)" }
      counted[told.sessionID ?? "", default: 0] += client.model.counted
    }
    for twin in twins {
      let told = twin.told.withLock { $0 }
      deviations += twin.deviations
      if !twin.isSettled { deviations.append("It has not come to rest: \(twin.summary)") }
      compare(told, twin.model, stored, audit) { twin.summary }
      counted[told.sessionID ?? "", default: 0] += twin.model.counted
    }
    for (session, count) in counted {
      guard let state = stored[session], !(count...count + open[session, default: 0]).contains(state.count) else {
        continue
      }
      lost += max(count - state.count, 0)
      doubled += max(state.count - count, 0)
      deviations.append("Session \(session) counts \(state.count), and \(count) actions of its clients were applied.")
    }
  }

  var text: String { "lost \(lost), doubled \(doubled), taken back \(takenBack)" }

  /// Holds what is stored of a client against what it has sent.
  private mutating func compare(
    _ told: ChaosClient.Told, _ model: ChaosModel, _ stored: [String: LedgerAudit.Stored], _ audit: LedgerAudit,
    _ name: () -> String
  ) {
    guard let session = told.sessionID else { return deviations.append("It has no session: \(name())") }
    guard let state = stored[session] else { return }
    if state.number(of: told.clientID) != model.sent || state.unpaid != 0 || !audit.has(model.payments, of: session) {
      deviations.append("\(state) is stored: \(name())")
    }
  }
}
