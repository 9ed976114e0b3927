import Testing

@testable import RibServer

/// Who is taken for dead, and when.
@Suite struct MembershipTests {
  private static let second: UInt64 = 1_000_000_000

  /// A node's view of two others, of which one is silent, after readings at some seconds.
  private func read(_ seconds: [UInt64], beats: [(one: Int, two: Int)]? = nil) -> Membership {
    var membership = Membership(own: 3)
    for (index, time) in seconds.enumerated() {
      let beat = beats?[index] ?? (one: 7, two: index)
      membership.read(
        [
          ClusterNode(id: 1, beat: beat.one, program: "p"), ClusterNode(id: 2, beat: beat.two, program: "p"),
          ClusterNode(id: 3, beat: index, program: "p"),
        ], askedAt: time * Self.second, at: time * Self.second)
    }
    return membership
  }

  @Test func nodeThatSaysNothingForTenSeconds_isDead() {
    #expect(read(Array(0...9)).dead.isEmpty)
    let membership = read(Array(0...10))
    #expect(membership.dead.map(\.id) == [1])
    #expect(membership.isDead(1) && !membership.isDead(2) && !membership.isDead(3))
    #expect(membership.alive.map(\.id) == [2])
  }

  @Test func nodeThatIsHeardAgain_isAlive() {
    let beats = (0...12).map { (one: $0 < 12 ? 7 : 8, two: $0) }
    #expect(read(Array(0...12), beats: beats).dead.isEmpty)
  }

  /// One whose address refuses connections is waited for until it could have been heard; no longer, and no less.
  @Test func nodeThatIsGone_isDeadSooner() {
    var membership = Membership(own: 3)
    for (time, isHeard) in [(0, true), (1, false), (2, false), (3, true), (4, false), (5, false), (6, false)] {
      let beat = isHeard ? time : time < 3 ? 0 : 3
      membership.read(
        [
          ClusterNode(id: 1, beat: beat, program: "p"), ClusterNode(id: 2, beat: beat, program: "p"),
        ], askedAt: UInt64(time) * Self.second, at: UInt64(time) * Self.second)
      if !isHeard { membership.noteRefusal(of: 1) }
      #expect(membership.dead.map(\.id) == (time >= 6 ? [1] : []), "\(time)")
    }
  }

  /// Until it is heard: then it was not that one.
  @Test func nodeThatHasASuccessor_isDeadAtOnce() {
    var membership = Membership(own: 3)
    for (time, isSucceeded) in [(0, false), (1, true), (2, false)] {
      membership.read(
        [ClusterNode(id: 1, beat: time, program: "p", isSucceeded: isSucceeded)], askedAt: UInt64(time) * Self.second,
        at: UInt64(time) * Self.second)
      #expect(membership.dead.map(\.id) == (isSucceeded ? [1] : []))
    }
  }

  /// Nobody could be heard meanwhile.
  @Test func timeInWhichNothingWasRead_killsNobody() {
    let beats = [0, 1, 1, 1].map { (one: 7, two: $0) }
    // One second and a half of each gap counts.
    #expect(read([0, 1, 100, 200], beats: beats).dead.isEmpty)
    #expect(read([0, 1, 100, 200, 201, 202, 203, 204, 205]).dead.isEmpty)
    #expect(read([0, 1, 100, 200, 201, 202, 203, 204, 205, 206]).dead.map(\.id) == [1])
  }

  /// The last beat may have come as late as its first answer, and not later: answers that take long put off a death once.
  @Test(arguments: [Self.second / 2, 3 * Self.second / 2])
  func timeOfTheFirstAnswer_isNoSilence(duration: UInt64) {
    var (membership, time) = (Membership(own: 3), UInt64(0))
    while membership.dead.isEmpty {
      time += max(Self.second, duration)
      membership.read([ClusterNode(id: 1, beat: 7, program: "p")], askedAt: time, at: time + duration)
    }
    // Asked at first after the longer of a second and an answer.
    let silence = time - max(Self.second, duration) - duration
    #expect((Membership.patience..<Membership.patience + 2 * Self.second).contains(silence))
  }

  /// It may be alive: its beats do not count for itself any more by then.
  @Test func nodeThatIsGone_isDeadWhenItTrustsItselfNoMore() {
    let pace = Cluster.Pace()
    #expect(pace.trust < Membership.patienceWithTheGone && Membership.patienceWithTheGone < Membership.patience)
  }

  /// Numbers are never given out twice.
  @Test func nodeThatIsForgotten_isDead_andOneThatBeginsIsNot() {
    var membership = read([0, 2])
    let own = ClusterNode(id: 3, beat: 9, program: "p")
    membership.read([own], askedAt: 4 * Self.second, at: 4 * Self.second)
    #expect(membership.isDead(1) && membership.isDead(2) && membership.dead.isEmpty)
    #expect(!membership.isDead(4))
    membership.read([own, ClusterNode(id: 5, beat: 0, program: "p")], askedAt: 6 * Self.second, at: 6 * Self.second)
    // It may have begun at the same time.
    #expect(!membership.isDead(4) && !membership.isDead(5))
    membership.read([own, ClusterNode(id: 5, beat: 1, program: "p")], askedAt: 8 * Self.second, at: 8 * Self.second)
    #expect(membership.isDead(4))
  }

  /// One that has just begun has not said yet where it is reached: its sessions are not simply taken.
  @Test func nodeWithoutAnAddress_isAskedNothing_unlessItHasJustBegun() {
    var membership = Membership(own: 3)
    membership.read(
      [
        ClusterNode(id: 1, beat: 5, program: "p"), ClusterNode(id: 2, beat: 0, program: ""),
        ClusterNode(id: 4, beat: 5, program: "p", address: "10.0.0.4:1"),
      ], askedAt: Self.second, at: Self.second)
    #expect([1, 2, 4, 5].map(membership.takesQuestions) == [false, true, true, true])
  }
}
