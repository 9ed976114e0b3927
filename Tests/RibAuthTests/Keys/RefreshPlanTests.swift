import Testing

@testable import RibAuth

@Suite struct RefreshPlanTests {
  private var plan = RefreshPlan(.init(refresh: 3600, cooldown: 30, maxStale: 86_400))

  @Test func emptyPlan_loadsAtOnce() {
    #expect(plan.wantsLoad(at: 0, isMissing: false) && plan.wantsLoad(at: 0, isMissing: true))
    #expect(!plan.isFresh(at: 0) && !plan.mayUse(at: 0))
  }

  @Test mutating func freshKeys_areLoadedAnewOnlyForAMissingOne_onceInACooldown() {
    plan.succeeded(at: 100, freshSeconds: nil)
    #expect(plan.isFresh(at: 100) && plan.isFresh(at: 3699) && !plan.isFresh(at: 3700))
    #expect(!plan.wantsLoad(at: 3699, isMissing: false) && plan.wantsLoad(at: 3700, isMissing: false))
    #expect(!plan.wantsLoad(at: 129, isMissing: true) && plan.wantsLoad(at: 130, isMissing: true))
    plan.failed(at: 130)
    #expect(!plan.wantsLoad(at: 159, isMissing: true) && plan.wantsLoad(at: 160, isMissing: true))
    #expect(plan.isFresh(at: 160), "a failure takes nothing away")
  }

  @Test mutating func failures_backOffUpToTheCooldown() {
    for pause in [1, 2, 4, 8, 16, 30, 30, 30] {
      plan.failed(at: 1000)
      #expect(!plan.wantsLoad(at: 1000 + pause - 1, isMissing: true))
      #expect(plan.wantsLoad(at: 1000 + pause, isMissing: false))
    }
    plan.succeeded(at: 2000, freshSeconds: nil)
    plan.failed(at: 5600)
    #expect(plan.wantsLoad(at: 5601, isMissing: false), "it begins anew")
  }

  @Test mutating func thousandFailures_doNotOverflow() {
    for _ in 0..<1000 { plan.failed(at: 0) }
    #expect(!plan.wantsLoad(at: 29, isMissing: false) && plan.wantsLoad(at: 30, isMissing: false))
  }

  @Test mutating func staleKeys_areUsedUntilTheyAreOver() {
    plan.succeeded(at: 0, freshSeconds: nil)
    plan.failed(at: 3600)
    #expect(plan.mayUse(at: 3600) && plan.mayUse(at: 86_399) && !plan.mayUse(at: 86_400))
  }

  @Test(arguments: [(nil, 3600), (300, 300), (60, 60), (59, 60), (0, 60), (7200, 3600)] as [(Int?, Int)])
  mutating func server_shortensTheRefresh_toAMinute(announced: Int?, seconds: Int) {
    plan.succeeded(at: 0, freshSeconds: announced)
    #expect(plan.isFresh(at: seconds - 1) && !plan.isFresh(at: seconds))
  }
}
