import Testing

/// A run of the chaos in which nothing happens is no run.
@Suite struct ChaosFiguresTests {
  private static func shortfalls(
    _ cuts: Int, _ kills: Int, jumps: Int = 9, seconds: Int, clients: Int, judgesRates: Bool = true
  ) -> [String] {
    ChaosFigures(
      figures: [
        .init(name: "cuts", count: cuts, usual: 2400),
        .init(name: "kills", count: kills, usual: 13, isOfClients: false),
        .init(name: "stops", count: 0),
        .init(name: "jumps", count: jumps, usual: 2, least: 1, isOfClients: false),
      ], seconds: seconds, clients: clients, judgesRates: judgesRates
    ).shortfalls
  }

  @Test func tooLittle_isAFailure() {
    #expect(Self.shortfalls(480, 2, seconds: 120, clients: 200).isEmpty)
    #expect(
      Self.shortfalls(479, 1, seconds: 120, clients: 200) == [
        "479 cuts, and at least 480 were to be.", "1 kills, and at least 2 were to be.",
      ])
    // Fewer clients are cut off less often, and the server is killed as often.
    #expect(Self.shortfalls(24, 1, seconds: 60, clients: 20).isEmpty)
    #expect(Self.shortfalls(23, 0, seconds: 60, clients: 20).count == 2)
    // What every run does, a short one too, has to be there once.
    #expect(Self.shortfalls(480, 2, jumps: 1, seconds: 120, clients: 200).isEmpty)
    #expect(Self.shortfalls(480, 2, jumps: 0, seconds: 120, clients: 200) == ["0 jumps, and at least 1 were to be."])
    #expect(Self.shortfalls(0, 0, jumps: 0, seconds: 29, clients: 200).isEmpty)
    // On a machine that has other things to do.
    #expect(Self.shortfalls(1, 1, jumps: 1, seconds: 120, clients: 200, judgesRates: false).isEmpty)
    #expect(
      Self.shortfalls(0, 0, jumps: 0, seconds: 120, clients: 200, judgesRates: false) == [
        "0 cuts, and at least 1 were to be."
      ])
  }
}
