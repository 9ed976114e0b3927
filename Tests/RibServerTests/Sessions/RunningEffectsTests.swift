import RibCore
import Testing

@testable import RibServer

@Suite struct RunningEffectsTests {
  private static func crash(_ client: Int, _ number: Int) -> StoredSession.Crash {
    StoredSession.Crash(client: client, number: number, count: 1)
  }

  @Test func action_hasGoneWell_onceItWasRun() {
    var effects = RunningEffects(crashes: [Self.crash(1, 5), Self.crash(2, 7)])
    var survived: [StoredSession.Crash] = []
    #expect(effects.crashCount(ofAction: 5, of: 1) == 1)
    #expect(effects.crashCount(ofAction: 5, of: 2) == 0)
    survived = effects.takeSurvived(isLeaving: false) { $0 == 1 ? 4 : 6 }
    #expect(survived.isEmpty)
    survived = effects.takeSurvived(isLeaving: false) { $0 == 1 ? 5 : 6 }
    #expect(survived == [Self.crash(1, 5)])
    #expect(effects.crashes == [Self.crash(2, 7)])
    survived = effects.takeSurvived(isLeaving: false) { _ in nil }
    #expect(survived == [Self.crash(2, 7)], "its client is no more")
  }

  @Test func wake_hasGoneWell_withTheFirstCut() {
    var effects = RunningEffects(crashes: [Self.crash(0, 0), Self.crash(0, 9)])
    var survived: [StoredSession.Crash]
    survived = effects.takeSurvived(isLeaving: false) { _ in nil }
    #expect(survived == [Self.crash(0, 0)])
    survived = effects.takeSurvived(isLeaving: true) { _ in nil }
    #expect(survived == [Self.crash(0, 9)], "nothing of it runs")
  }
}
