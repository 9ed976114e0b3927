import RibCore
import Testing
import WireHTTP

@testable import RibServer

/// The order in which yielded jobs run.
@Suite struct LoopTurnsTests {
  private static let places = (1...3).map { Caller(address: IPAddress(text: "203.0.113.\($0)")).place }

  private final class Log {
    var names: [String] = []

    func add(_ names: String..., to turns: inout LoopTurns) {
      for name in names {
        // The place of "b2" is the second one.
        let place = LoopTurnsTests.places[["a", "b", "c"].firstIndex { name.hasPrefix($0) } ?? 0]
        turns.add(of: place) { self.names.append(name) }
      }
    }
  }

  /// Runs jobs.
  ///
  /// - Parameters:
  ///   - turns: the jobs.
  ///   - count: how many are run, at most.
  ///   - milliseconds: how long each of them takes.
  private static func run(_ turns: inout LoopTurns, _ count: Int = .max, taking milliseconds: UInt64) {
    var left = count
    while left > 0, let (place, body) = turns.next() {
      body()
      turns.didRun(for: place, milliseconds * 1_000_000)
      left -= 1
    }
  }

  /// A place with many jobs delays another place by one turn.
  @Test func jobsOfOnePlace_runInTurnWithTheOthers() {
    let log = Log()
    var turns = LoopTurns()
    log.add("a1", "a2", "a3", "a4", "b1", "b2", to: &turns)
    Self.run(&turns, 3, taking: 12)
    log.add("c1", "a5", to: &turns)
    #expect(turns.count == 5)
    Self.run(&turns, taking: 12)
    #expect(log.names == ["a1", "b1", "a2", "b2", "a3", "c1", "a4", "a5"])
  }

  /// Short jobs of one place share a turn.
  @Test func shortJobsOfOnePlace_shareATurn() {
    let log = Log()
    var turns = LoopTurns()
    log.add("a1", "a2", "a3", "a4", "b1", "b2", to: &turns)
    Self.run(&turns, taking: 5)
    #expect(log.names == ["a1", "a2", "b1", "b2", "a3", "a4"])
  }

  /// A place whose last job yields again has its next turn after the other places.
  @Test func jobThatYieldsAgain_runsAfterTheOthers() {
    let log = Log()
    var turns = LoopTurns()
    log.add("a1", "b1", "b2", to: &turns)
    Self.run(&turns, 1, taking: 9)
    log.add("a2", "c1", to: &turns)
    // The turn of b has all its time.
    Self.run(&turns, taking: 5)
    #expect(log.names == ["a1", "b1", "b2", "a2", "c1"])
    #expect(turns.count == 0 && turns.next() == nil)
  }

  /// All jobs run once and in the order of their place, however many there are.
  @Test func manyJobs_runInOrder() {
    let log = Log()
    var turns = LoopTurns()
    let names = (0..<1_000).map { ["a", "b", "c"][$0 * 7 % 3] + "\(1_000 + $0)" }
    for (index, name) in names.enumerated() {
      log.add(name, to: &turns)
      if index.isMultiple(of: 5) { Self.run(&turns, 2, taking: 3) }
    }
    Self.run(&turns, taking: 4)
    for place in ["a", "b", "c"] {
      #expect(log.names.filter { $0.hasPrefix(place) } == names.filter { $0.hasPrefix(place) })
    }
  }

  /// A place yields only to its own jobs, and not while they run.
  @Test func backlog_isOfAPlace() {
    var turns = LoopTurns()
    turns.add(of: Self.places[0]) {}
    turns.add(of: nil) {}
    #expect(turns.hasBacklog(of: Self.places[0]) && !turns.hasBacklog(of: Self.places[1]) && turns.hasBacklog(of: nil))
    turns.runsYielded = true
    #expect(!turns.hasBacklog(of: Self.places[0]))
    turns.runsYielded = false
    Self.run(&turns, taking: 1)
    #expect(!turns.hasBacklog(of: Self.places[0]) && !turns.hasBacklog(of: nil))
  }
}
