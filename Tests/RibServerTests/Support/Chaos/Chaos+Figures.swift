import Foundation
import RibTestSupport
import Synchronization

/// What a run has done, and what is held against what.
extension Chaos {
  /// What each client was told, to be held against what is committed.
  var lookedAt: [(name: String, told: ChaosClient.Told)] {
    clients.map { ("client \($0.id)", $0.told.withLock { $0 }) }
      + twins.map { ("twin \($0.id)", $0.told.withLock { $0 }) }
  }

  /// What there usually is, is what there was in some runs of a minute.
  func figures(
    _ stored: [String: LedgerAudit.Stored], _ observers: ChaosObservers?, _ absentees: ChaosAbsentees?,
    _ seconds: Int
  ) -> ChaosFigures {
    func ofClients(_ value: (ChaosClient) -> Int) -> Int { clients.reduce(0) { $0 + value($1) } }
    func ofTwins(_ value: (ChaosTwin) -> Int) -> Int { twins.reduce(0) { $0 + value($1) } }
    let faults = proxy.faultCounts
    // With persons behind the clients a server lives longer.
    let ofLives: (Double) -> Double? = { [people] in people == nil ? $0 : nil }
    typealias Figure = ChaosFigures.Figure
    let list = [
      Figure(name: "actions", count: ofClients { $0.model.sent }, usual: 80_000),
      Figure(name: "refused", count: ofClients { $0.model.refused }, usual: 17_000),
      Figure(name: "payments", count: ofClients { $0.model.payments }, usual: 4500),
      Figure(name: "written again", count: audit.repetitions),
      Figure(name: "kills", count: kills, usual: ofLives(13), isOfClients: false), Figure(name: "stops", count: stops),
      Figure(name: "slow commits", count: blocks, usual: ofLives(10), isOfClients: false),
      Figure(name: "links", count: faults.links, usual: 15_000),
      Figure(name: "links not made", count: faults.refusals, usual: 450),
      Figure(name: "cuts", count: faults.cuts, usual: 2400), Figure(name: "stalls", count: faults.stalls, usual: 1300),
      Figure(name: "late deliveries", count: faults.lateDeliveries, usual: 700),
      Figure(name: "resumes", count: ofClients { $0.figures.resumes }, usual: 3500),
      Figure(name: "doubled hellos", count: ofClients { $0.figures.doubles }, usual: 1700),
      Figure(name: "drained", count: ofClients { $0.figures.drains }, usual: ofLives(150)),
      Figure(name: "wakes", count: stored.values.reduce(0) { $0 + $1.loads }, usual: 2600),
      Figure(name: "hashes", count: ofClients { $0.figures.checks }, usual: 570),
      Figure(name: "guests", count: ofClients { $0.figures.joins }),
      Figure(name: "tokens lost", count: ofClients { $0.figures.lostTokens }),
      Figure(name: "actions of twins", count: ofTwins { $0.model.sent }, usual: 5000, isOfClients: false),
      Figure(name: "requests repeated", count: ofTwins { $0.figures.repetitions }, usual: 1400, isOfClients: false),
      Figure(name: "views", count: ofTwins { $0.figures.views }, usual: 290, isOfClients: false),
      Figure(name: "views unchanged", count: ofTwins { $0.figures.unchanged }),
      Figure(name: "streams of events", count: ofTwins { $0.figures.events }, usual: 70, isOfClients: false),
    ]
    return ChaosFigures(
      figures: list + faultFigures + peopleFigures + Self.figures(observers, absentees), seconds: seconds,
      clients: clients.count,
      judgesRates: TestRun.judgesTime)
  }

  /// Of what is done to the server's files, its clock and its version.
  private var faultFigures: [ChaosFigures.Figure] {
    typealias Figure = ChaosFigures.Figure
    return [
      Figure(
        name: "sessions damaged", count: victims.damaged, usual: people == nil ? 3 : nil, least: 1, isOfClients: false),
      Figure(
        name: "of them refused", count: victims.refused, usual: people == nil ? 2 : nil, least: 1, isOfClients: false),
    ] + (people == nil ? timeFigures : [])
  }

  private var timeFigures: [ChaosFigures.Figure] {
    typealias Figure = ChaosFigures.Figure
    let turnedAway = clients.reduce(0) { $0 + $1.figures.turnedAway }
    return [
      Figure(name: "jumps of the clock", count: jumps, usual: 26, least: 10, isOfClients: false),
      Figure(name: "lives of another version", count: otherLives, usual: 1, least: 1, isOfClients: false),
      Figure(name: "clients turned away by it", count: turnedAway, usual: otherLives > 0 ? 200 : nil, least: 10),
    ]
  }

  /// Of those who have a server of their own.
  private static func figures(_ observers: ChaosObservers?, _ absentees: ChaosAbsentees?) -> [ChaosFigures.Figure] {
    typealias Figure = ChaosFigures.Figure
    guard let observers, let absentees else { return [] }
    return [
      Figure(name: "changes told to observers", count: observers.tellings),
      Figure(name: "wakes of theirs", count: observers.wakes),
      Figure(name: "returns after jumps", count: absentees.returns, usual: 32, least: 8, isOfClients: false),
      Figure(name: "jumps meanwhile", count: absentees.jumps, usual: 12, least: 3, isOfClients: false),
      // One in a life of eighty seconds.
      Figure(name: "sessions forgotten", count: absentees.forgotten, usual: 0.7, isOfClients: false),
    ]
  }

  /// What the server has complained of, other than what it was asked to refuse.
  func complaints() -> [Substring] {
    Self.complaints(in: directory).filter { line in
      // The server was killed.
      !line.contains("An earlier process died") && !line.contains("The system's clock has jumped.")
        && !victims.sessionIDs.contains { line.contains($0) }
    }
  }

  /// What a server's log complains of, other than what the server was asked to refuse.
  static func complaints(in directory: String) -> [Substring] {
    let text = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { line in
      isComplaint(line) && !line.contains("An action was refused.") && !line.contains("A transaction took long.")
        // Of both there are many.
        && !line.contains("More lines like the last one are left out") && !line.contains("The next line was left out")
    }
  }
}
