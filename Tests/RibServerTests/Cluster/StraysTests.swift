import Testing

@testable import RibServer

@Suite struct StraysTests {
  private static let lease = SessionLease(row: 1, number: 3)

  private static func suspicion(of ids: String...) -> Strays {
    var strays = Strays()
    for id in ids { strays.suspect(id) }
    return strays
  }

  /// The first look may be at one that is being read.
  @Test func sessionThatIsNotThere_isLost_whenItIsFoundTwice() {
    var strays = Self.suspicion(of: "a", "b")
    #expect(strays.next(9) == ["a", "b"])
    #expect(strays.didLook(at: ["a", "b"], ["a": Self.lease], besides: []) == [])
    #expect(strays.didLook(at: strays.next(9), ["a": Self.lease], besides: []) == [Self.lease])
    // It may not have been freed: the database was away, or somebody has it locked.
    #expect(strays.didLook(at: strays.next(9), ["a": Self.lease], besides: []) == [Self.lease])
    #expect(strays.next(9) == ["a"])
    #expect(strays.didLook(at: ["a"], [:], besides: []) == [] && strays.next(9) == [])
  }

  @Test func sessionThatTheNodeHas_isNotLost() {
    var strays = Self.suspicion(of: "a")
    for _ in 0..<3 {
      #expect(strays.didLook(at: strays.next(9), ["a": Self.lease], besides: [Self.lease]) == [])
    }
    #expect(strays.next(9) == [])
  }

  /// It was taken again meanwhile: by a request whose answer was lost as well, or by one that is not answered yet.
  @Test func sessionUnderAnotherLease_isLookedAtOnceMore() {
    var strays = Self.suspicion(of: "a")
    for number in 3..<7 {
      let held = ["a": SessionLease(row: 1, number: Int64(number))]
      #expect(strays.didLook(at: strays.next(9), held, besides: []) == [])
    }
    #expect(strays.didLook(at: strays.next(9), [:], besides: []) == [])
    #expect(strays.next(9) == [])
  }

  /// A statement may be late.
  @Test func sessionThatIsNobodys_isLookedAtThreeTimes() {
    var strays = Self.suspicion(of: "a")
    for _ in 0..<2 { #expect(strays.didLook(at: strays.next(9), [:], besides: []) == []) }
    strays.suspect("a")
    for _ in 0..<3 {
      #expect(strays.next(9) == ["a"])
      #expect(strays.didLook(at: ["a"], [:], besides: []) == [])
    }
    #expect(strays.next(9) == [])
  }

  @Test func sessionThatWasRead_isNone() {
    var strays = Self.suspicion(of: "a", "b", "c")
    strays.acquit("b")
    #expect(strays.next(2) == ["a", "c"])
    strays.acquit("a")
    #expect(strays.didLook(at: ["a", "c"], ["a": Self.lease, "c": Self.lease], besides: []) == [])
    #expect(strays.next(9) == ["c"])
  }

  /// It was read, and asked for in vain again: between two looks, or while one is under way.
  @Test(arguments: [false, true]) func sessionThatIsSuspectedAgain_isThereOnce(isLooking: Bool) {
    var strays = Self.suspicion(of: "a")
    if isLooking { #expect(strays.next(9) == ["a"]) }
    strays.acquit("a")
    strays.suspect("a")
    if !isLooking { #expect(strays.next(9) == ["a"]) }
    #expect(strays.didLook(at: ["a"], ["a": Self.lease], besides: []) == [])
    #expect(strays.next(9) == ["a"])
    let isLost = !strays.didLook(at: ["a"], ["a": Self.lease], besides: []).isEmpty
    #expect(isLost == !isLooking, "the look that was under way may be older")
    #expect(strays.next(9) == ["a"])
  }

  @Test(arguments: [String(repeating: "a", count: 65), "a\0"]) func nameThatNoSessionHas_isNotLookedFor(name: String) {
    var strays = Self.suspicion(of: name, "b")
    #expect(strays.next(9) == ["b"])
  }

  @Test func looks_goByTurns() {
    var strays = Self.suspicion(of: "a", "b", "c")
    #expect(strays.next(2) == ["a", "b"])
    strays.suspect("d")
    _ = strays.didLook(at: ["a", "b"], [:], besides: [])
    #expect(strays.next(2) == ["c", "d"])
  }

  @Test func thereIsALimit() {
    var strays = Strays()
    for number in 0...Strays.limit { strays.suspect("\(number)") }
    #expect(strays.next(.max).count == Strays.limit)
  }
}
