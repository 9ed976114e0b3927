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

  @Test func poisonThatIsLifted_isForgottenWithTheNextCut() {
    let poison = StoredSession.Crash(client: 1, number: 17, count: StoredSession.Crash.limit)
    let first = StoredSession.Crash(client: 1, number: 18, count: 1)
    var effects = RunningEffects(crashes: [poison, first])
    #expect(effects.lift() == 1)
    #expect(effects.crashCount(ofAction: 17, of: 1) == 0)
    #expect(effects.crashCount(ofAction: 18, of: 1) == 1)
    #expect(effects.takeSurvived(isLeaving: false) { _ in 0 } == [poison])
    #expect(effects.takeSurvived(isLeaving: false) { _ in 0 }.isEmpty)
    #expect(effects.lift() == 0)
  }
}
