import RibCore
import RibTesting
import Testing

extension TestRibletTests {
  /// A timer, what is typed while it runs, and its end.
  private static func run(_ number: Int) -> Bool {
    let clock = ManualClock()
    let test = TestRiblet(Stopwatch(clock: clock))
    test.send(.start) { $0.isRunning = true }
    for second in 1...3 {
      test.send(.type("forgotten"))
      clock.advance(by: .milliseconds(200))
      test.send(.type("\(number), \(second)"))
      clock.advance(by: .milliseconds(800))
      test.receive(.noted("\(number), \(second)")) { $0.note = "\(number), \(second)" }
      test.receive(.ticked) { $0.seconds = second }
    }
    test.send(.stop) { $0.isRunning = false }
    test.finish()
    return test.state == Stopwatch.State(seconds: 3, note: "\(number), 3")
  }

  @Test func aThousandTimers_runInParallel() async {
    let results = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 { group.addTask { Self.run(number) } }
      return await group.reduce(into: [Bool: Int]()) { $0[$1, default: 0] += 1 }
    }
    // If anybody waited for a time to pass, that would take fifty minutes.
    #expect(results == [true: 1000])
  }
}
