import RibMetrics
import Testing

@testable import RibServer

struct LooksTests {
  private func moment(
    second: UInt64, applied: UInt64, refused: UInt64 = 0, answers: [UInt64] = [], processor: Double = 0
  ) -> Looks.Moment {
    var overview = ServerOverview()
    overview.time = Int(second)
    overview.residentBytes = 7
    overview.sessions.awake = 3
    overview.connections.websocket = 2
    var cells = TimeCells()
    for answer in answers { cells.add(answer) }
    return Looks.Moment(
      time: second * 1_000_000_000, overview: overview, applied: applied, refused: refused, answers: cells,
      lag: TimeCells(), commits: nil, processor: processor)
  }

  @Test func sample_isOfTheTimeBetweenTwoLooks() throws {
    var looks = Looks()
    looks.take(moment(second: 10, applied: 1000, answers: [50_000_000]))
    #expect(looks.samples.isEmpty)
    looks.take(moment(second: 14, applied: 1100, refused: 2, answers: [50_000_000, 200_000, 200_000], processor: 1))
    let sample = try #require(looks.samples.first)
    #expect(sample.actionsPerSecond == 25)
    #expect(sample.refusalsPerSecond == 0.5)
    #expect(sample.processorPercent == 25)
    #expect(sample.answerP99.map { $0 < 1000 } == true)
    #expect(sample.lagP99 == nil && sample.commitP99 == nil)
    #expect((sample.awake, sample.connections, sample.residentBytes) == (3, 2, 7))
  }

  @Test func samples_areThoseOfFiveMinutes() {
    var looks = Looks()
    for second in 0...400 { looks.take(moment(second: UInt64(second), applied: 0)) }
    #expect(looks.samples.first?.time == 100)
    #expect(looks.samples.last?.time == 400)
    #expect(looks.samples.last?.id == 400)
  }
}
