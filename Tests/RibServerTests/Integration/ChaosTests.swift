import Foundation
import RibServer
import RibTestSupport
import Testing

/// Everything at once: many clients, a network at its worst, and a server that is killed again and again.
///
/// What is promised is checked where it is promised: by each client against what it has sent, after each kill against what
/// is committed, and against a book outside in the end. `make chaos` runs it for longer.
@Suite(.serialized) struct ChaosTests {
  /// How long, how many and from which seed, as the environment says.
  private struct Plan {
    let seconds: Int
    /// The same for several nodes, of which each has to die.
    let clusterSeconds: Int
    /// The same for handovers, and from one to the next.
    let handoverSeconds: Int
    let handoverInterval: Int
    let clients: Int
    let seed: UInt64

    init() {
      let environment = ProcessInfo.processInfo.environment
      let given = environment["RIB_CHAOS_SECONDS"].flatMap { Int($0) }
      (seconds, clusterSeconds, handoverSeconds) = (given ?? 60, given ?? 120, given ?? 25)
      handoverInterval = handoverSeconds >= 300 ? 60 : 4
      clients = environment["RIB_CHAOS_CLIENTS"].flatMap { Int($0) } ?? (Sanitizer.current == nil ? 200 : 20)
      seed = environment["RIB_CHAOS_SEED"].flatMap { UInt64($0) } ?? UInt64(Date().timeIntervalSince1970)
    }
  }

  private static let plan = Plan()

  @Test(.timeLimit(.minutes(plan.seconds / 60 + 5)))
  func nothingIsLost_doubled_orTakenBack() async throws {
    Server.raiseDescriptorLimit()
    let plan = Self.plan
    try await blocking(within: Double(plan.seconds) + BlockingExecutor.limit) {
      try Chaos(clients: plan.clients, seed: plan.seed).run(for: plan.seconds)
    }
  }

  /// The same with credentials that end, keys that change, and persons who are signed out: nothing is done for them from then on, and
  /// whatever was handed out is in no file, and in no line of a log that says all.
  @Test(
    .timeLimit(.minutes(plan.seconds / 60 + 8)),
    .enabled(if: TestRun.includesTests(of: IssuerProcess.python), "make test sets RIB_PYTHON"))
  func nothingIsDone_forWhoIsSignedOut() async throws {
    Server.raiseDescriptorLimit()
    let plan = Self.plan
    try await blocking(within: Double(plan.seconds) + 2 * BlockingExecutor.limit) {
      // What all of them do is logged and recorded.
      let people = try ChaosPeople(for: plan.seconds)
      try Chaos(clients: max(plan.clients / 4, 10), seed: plan.seed, people: people).run(for: plan.seconds)
    }
  }

  /// The same, but for faults: two processes take turns at one socket and on one state directory, and no client may notice more than a moment.
  @Test(.timeLimit(.minutes(plan.handoverSeconds / 60 + 8)))
  func nothingIsLost_norRefused_inHandovers() async throws {
    Server.raiseDescriptorLimit()
    let plan = Self.plan
    try await blocking(within: Double(plan.handoverSeconds) + 2 * BlockingExecutor.limit) {
      try HandoverChaos(clients: plan.clients, seed: plan.seed)
        .run(for: plan.handoverSeconds, every: plan.handoverInterval)
    }
  }

  /// The same with three nodes on one database, each of which dies, stands still, or loses the database or another node now and then; as the
  /// database does, until another one takes its place.
  @Test(
    .timeLimit(.minutes(plan.clusterSeconds / 60 + 8)),
    .enabled(if: Balancer.areTested, "scripts/setup --tests installs PostgreSQL, and unpacks haproxy"))
  func nothingIsLost_amongSeveralNodes() async throws {
    Server.raiseDescriptorLimit()
    let plan = Self.plan
    try await blocking(within: Double(plan.clusterSeconds) + 2 * BlockingExecutor.limit) {
      try ClusterChaos(clients: plan.clients, seed: plan.seed).run(for: plan.clusterSeconds)
    }
  }
}
