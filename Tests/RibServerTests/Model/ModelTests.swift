import RibTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Random interleavings of what clients, the network, servers and the store do.
///
/// `RIB_MODEL_SCHEDULES` says how many are run. `RIB_MODEL_SEED` runs one alone, without the rule that `RIB_MODEL_RULE`
/// names if it does, and prints its steps.
struct ModelTests {
  @Test func allRules_nothingIsFound() async {
    if let seed = setting("RIB_MODEL_SEED") { return replay(UInt64(seed) ?? 0) }
    let seeds = Self.seeds(
      UInt64(setting("RIB_MODEL_SCHEDULES") ?? "") ?? UInt64(TestRun.volume(5000, nightly: 200_000)))
    let time = ContinuousClock.now
    let halves = await withTaskGroup(of: ModelReport.self) { group in
      for half in 0..<UInt64(2) {
        group.addTask { ModelReport(seeds: seeds.filter { $0 % 2 == half }, without: []) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let findings = halves.flatMap(\.findings).sorted { $0.seed < $1.seed }
    print("\(seeds.count) schedules, \(halves.map(\.stepCount).reduce(0, +)) steps, \(time.duration(to: .now))")
    let restingCount = halves.map(\.restingCount).reduce(0, +)
    print("clients came back to a session that rested on \(restingCount) times")
    #expect(restingCount >= seeds.count / 100)
    for (seed, finding) in findings.prefix(5) { Issue.record("RIB_MODEL_SEED=\(seed): \(finding)") }
    #expect(findings.count == 0)
  }

  /// A thousand that are always the same, and others, which are new each day.
  private static func seeds(_ count: UInt64) -> [UInt64] {
    let known = min(count, 1000)
    return Array(0..<known) + (0..<count - known).map { TestRun.seed &* 1_000_000 &+ $0 }
  }

  /// One after the other, so that it is the same schedule each time.
  @Test(arguments: ModelRule.allCases)
  func brokenRule_isFound(rule: ModelRule) throws {
    guard setting("RIB_MODEL_SEED") == nil else { return }
    let report = ModelReport(seeds: UInt64(0)..<5_000, without: rule.broken, limit: 1)
    let first = try #require(report.findings.first, "\(rule.rawValue) is not found")
    print("without \(rule.rawValue): \(first.seed + 1) schedules: \(first.finding)")
  }

  private func replay(_ seed: UInt64) {
    let rule = setting("RIB_MODEL_RULE").flatMap(ModelRule.init(rawValue:))
    let world = ModelWorld(seed: seed, without: rule?.broken ?? [], ModelSocket(), keepsLog: true)
    do { try world.run() } catch { Issue.record("RIB_MODEL_SEED=\(seed): \(error)") }
    for step in world.log ?? [] { print(step) }
  }

  private func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// What schedules have come to.
struct ModelReport: Sendable {
  private(set) var findings: [(seed: UInt64, finding: any Error)] = []
  private(set) var stepCount = 0
  /// How often a client has come back to a session that rested on.
  private(set) var restingCount = 0

  /// Runs schedules.
  ///
  /// - Parameters:
  ///   - seeds: which.
  ///   - broken: rules that are not kept.
  ///   - limit: how many findings are enough.
  init(seeds: some Sequence<UInt64>, without broken: Set<ModelRule>, limit: Int = .max) {
    let socket = ModelSocket()
    for seed in seeds where findings.count < limit {
      let world = ModelWorld(seed: seed, without: broken, socket)
      do { try world.run() } catch { findings.append((seed, error)) }
      stepCount += world.stepCount
      restingCount += world.store.restingCount
    }
  }
}
