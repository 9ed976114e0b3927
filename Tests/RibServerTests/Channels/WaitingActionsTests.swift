import Testing

@testable import RibServer

@Suite struct WaitingActionsTests {
  private static func with(_ count: Int, committing: Int = 0) -> WaitingActions {
    var actions = WaitingActions()
    for _ in 0..<committing { actions.note() }
    actions.noteCut()
    for _ in committing..<count { actions.note() }
    return actions
  }

  @Test func client_waitsFromTheLimitOn() {
    #expect(!Self.with(WaitingActions.limit - 1).areTooMany)
    #expect(Self.with(WaitingActions.limit).areTooMany)
    #expect(!WaitingActions().areTooMany)
  }

  /// How many fit in afterwards says how many were left.
  @Test(arguments: [
    (300, 200, false, 100), (300, 200, true, 0), (256, 256, false, 0), (256, 0, false, 256), (10, 0, true, 0),
  ])
  func commit_takesWhatItHas(count: Int, committing: Int, all: Bool, left: Int) {
    var actions = Self.with(count, committing: committing)
    actions.release(all: all)
    #expect(actions.areTooMany == (left >= WaitingActions.limit))
    for number in left..<WaitingActions.limit {
      #expect(!actions.areTooMany, "\(number)")
      actions.note()
    }
    #expect(actions.areTooMany)
  }

  /// A commit that was released does not take later ones with it.
  @Test func commit_isReleasedOnce() {
    var actions = Self.with(256, committing: 256)
    actions.release(all: false)
    for _ in 0..<256 { actions.note() }
    actions.release(all: false)
    #expect(actions.areTooMany)
  }
}
