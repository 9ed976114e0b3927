import Testing

@testable import RibServer

/// The tables in the documentation of ``Commits``, whole.
@Suite struct CommitsTests {
  enum Input: CaseIterable { case note, begin, didSucceed, didFail, storeIsBack }

  /// How a state is reached.
  static let states: [String: [Input]] = [
    "clean": [], "due": [.note], "committing": [.note, .begin], "behind": [.note, .begin, .note],
    "failing": [.didFail], "retrying": [.didFail, .storeIsBack], "catchingUp": [.didFail, .storeIsBack, .begin],
  ]

  /// The state after each input, in the order of ``Input``; with * the loop is to be told.
  ///
  /// A blank of the table changes nothing.
  static let table: [(String, [String])] = [
    ("clean", ["due*", "clean", "clean", "failing", "clean"]),
    ("due", ["due", "committing!", "due", "failing", "due"]),
    ("committing", ["behind", "committing", "clean", "failing", "committing"]),
    ("behind", ["behind", "behind", "due*", "failing", "behind"]),
    ("failing", ["failing", "failing", "failing", "failing", "retrying*"]),
    ("retrying", ["retrying", "catchingUp!", "retrying", "failing", "retrying"]),
    ("catchingUp", ["catchingUp", "catchingUp", "due*", "failing", "catchingUp"]),
  ]

  /// The same with a store that has sessions wait.
  static let waitingStates: [String: [Input]] = [
    "clean": [], "due": [.note], "committing": [.note, .begin], "behind": [.note, .begin, .note],
    "waiting": [.note, .begin, .didFail],
  ]

  static let waitingTable: [(String, [String])] = [
    ("clean", ["due*", "clean", "clean", "clean", "clean"]),
    ("due", ["due", "committing!", "due", "waiting", "due"]),
    ("committing", ["behind", "committing", "clean", "waiting", "committing"]),
    ("behind", ["behind", "behind", "due*", "waiting", "behind"]),
    ("waiting", ["waiting", "waiting", "waiting", "waiting", "due*"]),
  ]

  private static func apply(_ input: Input, to commits: inout Commits) -> String {
    switch input {
    case .note: commits.note() ? "*" : ""
    case .begin: commits.begin() ? "!" : ""
    case .didSucceed: commits.didSucceed() ? "*" : ""
    case .didFail:
      {
        commits.didFail()
        return ""
      }()
    case .storeIsBack: commits.storeIsBack() ? "*" : ""
    }
  }

  private static func commits(_ state: String, _ outage: Outage) throws -> Commits {
    var commits = Commits(outage)
    for input in try #require((outage == .waits ? waitingStates : states)[state]) { _ = apply(input, to: &commits) }
    return commits
  }

  /// What tells states apart: what is seen of them, and what inputs answer.
  private static func name(_ commits: Commits) -> String {
    var copy = commits
    let begins = copy.begin()
    var other = commits
    let isToldOfSuccess = other.didSucceed()
    return switch (commits.isPending, commits.isFailing, commits.isUnderWay, begins) {
    case (false, false, false, false): "clean"
    case (true, false, false, true): "due"
    case (true, false, false, false): "waiting"
    case (true, false, true, false): isToldOfSuccess ? "behind" : "committing"
    case (false, true, false, false): "failing"
    case (false, true, false, true): "retrying"
    case (false, true, true, false): "catchingUp"
    default: "none of them"
    }
  }

  @Test(arguments: table) func eachInput_leadsWhereTheTableSays(state: String, after: [String]) throws {
    try check(state, after, .goesOn)
  }

  @Test(arguments: waitingTable) func eachInput_leadsWhereTheTableSays_ifSessionsWait(
    state: String, after: [String]
  ) throws {
    try check(state, after, .waits)
  }

  private func check(_ state: String, _ after: [String], _ outage: Outage) throws {
    #expect(Self.name(try Self.commits(state, outage)) == state)
    for (input, expected) in zip(Input.allCases, after) {
      var commits = try Self.commits(state, outage)
      let told = Self.apply(input, to: &commits)
      #expect(Self.name(commits) + told == expected, "\(input)")
      #expect(commits.isClean == (Self.name(commits) == "clean"))
    }
  }
}
