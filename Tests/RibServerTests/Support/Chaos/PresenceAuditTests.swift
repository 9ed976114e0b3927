import Testing

/// An audit that finds nothing would show nothing.
@Suite struct PresenceAuditTests {
  private static func audit(showing list: Set<String>) -> PresenceAudit {
    var audit = PresenceAudit()
    for name in list { audit.connects(name, at: 0) }
    audit.shows(list, 0, at: 0)
    return audit
  }

  @Test func whoIsConnectedAndSeenToLeave_isCounted_andJudgedIfNothingIsWrong() {
    var audit = Self.audit(showing: ["Ada", "Ben", "Cleo", "Dan"])
    audit.shows(["Ada", "Ben", "Cleo"], 0, at: 2000)
    #expect(audit.flickers == 0, "the list may be behind")
    audit.shows(["Ada", "Ben"], 0, at: 2001)
    #expect(audit.flickers == 1 && audit.wrongDepartures.isEmpty)
    audit.beStrict()
    audit.shows(["Ada"], 0, at: 2002)
    #expect(audit.flickers == 2)
    // Whoever is about to come back is not seen to leave either.
    audit.disconnects("Ada")
    audit.shows([], 0, at: 2003)
    #expect(audit.flickers == 2)
    #expect(
      audit.wrongDepartures == [
        .init(name: "Ben", observer: 0, time: 2002), .init(name: "Ada", observer: 0, time: 2003),
      ])
  }

  @Test func whoHasLeftForGood_isSeenToLeave_afterSomeTime() {
    var audit = Self.audit(showing: ["Ada", "Ben", "Cleo"])
    audit.shows(["Ada", "Ben", "Cleo"], 1, at: 0)
    audit.beStrict()
    audit.leaves("Ada", at: 100)
    audit.leaves("Ben", at: 200, with: 1)
    audit.shows(["Ben", "Cleo"], 0, at: 2200)
    // An observer that comes back shows it as well, but not that of the node that has died.
    audit.shows(nil, 0, at: 2300)
    audit.shows(["Cleo"], 0, at: 9200)
    audit.shows(["Ada", "Cleo"], 1, at: 9300)
    #expect(audit.timesAfterLeaving == [2100] && audit.timesAfterDeath == [9000])
    audit.forgetTimes()
    audit.shows(["Cleo"], 1, at: 9400)
    #expect(audit.timesAfterLeaving == [9300] && audit.timesAfterDeath == [])
    #expect(audit.flickers == 0 && audit.wrongDepartures.isEmpty)
    // It comes back all the same.
    audit.connects("Ben", at: 9450)
    audit.shows(["Ben", "Cleo"], 0, at: 9500)
    audit.shows(["Cleo"], 0, at: 11_600)
    #expect(audit.flickers == 1 && audit.wrongDepartures.count == 1)
  }

  /// An observer that was away shows what it is shown then: nobody was seen to leave.
  @Test func listAfterAConnectionIsGone_isNotCompared() {
    var audit = Self.audit(showing: ["Ada", "Ben"])
    audit.beStrict()
    audit.shows(nil, 0, at: 1)
    audit.shows(["Ada"], 0, at: 2)
    audit.shows([], 1, at: 2)
    #expect(audit.flickers == 0 && audit.wrongDepartures.isEmpty)
  }
}
