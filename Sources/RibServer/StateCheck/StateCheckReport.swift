import Wire

/// A dry run: how a program would restore the sessions in a store.
public struct StateCheckReport: Equatable, Sendable {
  /// How many sessions the store has.
  public let stored: Int
  /// How many of them were looked at.
  public private(set) var checked = 0
  private var counts: [CheckedSession.Outcome: Int] = [:]
  private var migrations: [CheckedSession.Migration: Int] = [:]
  private var findings: [Finding: Sessions] = [:]

  /// The greatest number of findings that are told apart, and of sessions that each names.
  static let (findingLimit, sessionLimit) = (1000, 10)

  private struct Finding: Hashable {
    let outcome: CheckedSession.Outcome
    let app: String
    let problem: CheckedSession.Problem

    var sortingKey: (String, String, String) { (app, problem.type ?? "", problem.reason) }
  }

  private struct Sessions: Equatable {
    var count = 0
    /// The first of them.
    var names: [String] = []
  }

  /// A report of no session so far.
  init(stored: Int) { self.stored = stored }

  /// Adds a session.
  mutating func add(_ session: CheckedSession, named name: String, of app: String) {
    checked += 1
    counts[session.outcome, default: 0] += 1
    for migration in session.migrations { migrations[migration, default: 0] += 1 }
    for problem in Set(session.problems) {
      var finding = Finding(outcome: session.outcome, app: app, problem: problem)
      if findings[finding] == nil, findings.count >= Self.findingLimit {
        finding = Finding(
          outcome: session.outcome, app: app,
          problem: CheckedSession.Problem(type: problem.type, reason: "Other reasons."))
      }
      findings[finding, default: Sessions()].count += 1
      if findings[finding, default: Sessions()].names.count < Self.sessionLimit {
        findings[finding, default: Sessions()].names.append(name)
      }
    }
  }

  private func count(_ outcome: CheckedSession.Outcome) -> Int { counts[outcome] ?? 0 }

  /// Whether every session that was looked at would go on with all that it knows; one that is set aside is no loss of a deploy.
  public var isLossless: Bool { count(.rebuilt) + count(.newer) + count(.failed) == 0 }

  /// The findings, the worst of each outcome first.
  private var sortedFindings: [(finding: Finding, sessions: Sessions)] {
    var sorted: [(finding: Finding, sessions: Sessions)] = []
    for outcome in CheckedSession.Outcome.allCases {
      let found = findings.filter { $0.key.outcome == outcome }
      let order = found.keys.sorted { (ours: Finding, theirs: Finding) in
        let (count, other) = (found[ours]?.count ?? 0, found[theirs]?.count ?? 0)
        return count == other ? ours.sortingKey < theirs.sortingKey : count > other
      }
      for finding in order { sorted.append((finding, found[finding] ?? Sessions())) }
    }
    return sorted
  }

  private var sortedMigrations: [(migration: CheckedSession.Migration, count: Int)] {
    migrations.map { (migration: $0.key, count: $0.value) }.sorted {
      ($0.migration.type, $0.migration.from) < ($1.migration.type, $1.migration.from)
    }
  }

  /// The report for a person.
  public var text: String {
    var lines = ["Checked \(checked) of \(stored) sessions."]
    for outcome in CheckedSession.Outcome.allCases {
      lines.append("\(outcome.rawValue)\(String(repeating: " ", count: 10 - outcome.rawValue.count))\(count(outcome))")
    }
    for (migration, count) in sortedMigrations {
      lines.append("migrated: \(migration.type) from version \(migration.from) to \(migration.to), \(count) times")
    }
    for (finding, sessions) in sortedFindings {
      let place = [finding.app, finding.problem.type].compactMap(\.self).joined(separator: ", ")
      let more = sessions.count - sessions.names.count
      lines.append("\(finding.outcome.rawValue): \(place): \(finding.problem.reason)")
      lines.append("  \(sessions.names.joined(separator: " "))\(more > 0 ? " and \(more) more" : "")")
    }
    return lines.joined(separator: "\n")
  }

  /// The report as a JSON object, for a program.
  public var json: String {
    var members: JSONObject = [
      "stored": .integer(Int64(stored)), "checked": .integer(Int64(checked)), "isLossless": .bool(isLossless),
    ]
    for outcome in CheckedSession.Outcome.allCases { members[outcome.rawValue] = .integer(Int64(count(outcome))) }
    members["migrations"] = .array(
      sortedMigrations.map { migration, count in migration.json.adding("count", .integer(Int64(count))) })
    members["findings"] = .array(
      sortedFindings.map { finding, sessions in
        finding.problem.json.adding("outcome", .string(finding.outcome.rawValue)).adding("app", .string(finding.app))
          .adding("count", .integer(Int64(sessions.count))).adding(
            "sessions", .array(sessions.names.map { .string($0) }))
      })
    return JSONValue.object(members).text
  }

}

extension JSONValue {
  fileprivate func adding(_ key: String, _ value: JSONValue) -> JSONValue {
    guard case .object(var members) = self else { return self }
    members[key] = value
    return .object(members)
  }
}
