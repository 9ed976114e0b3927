import Foundation
import Logging
import RibCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DependenciesTests {
  // MARK: unimplemented

  @Test func unimplemented_saysWhatWasUsed() async throws {
    let used = Uses()
    let dependencies = Dependencies.unimplemented { used.note($0) }
    #expect(used.take() == [])
    #expect(dependencies.date() == Date(timeIntervalSinceReferenceDate: 0))
    #expect(used.take() == ["date"])
    #expect(dependencies.uuid().uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(used.take() == ["uuid"])
    #expect(dependencies.randomBits() == 0)
    #expect(used.take() == ["randomBits"])
    dependencies.logger.info("hello")
    #expect(used.take() == ["logger"])
    await #expect(throws: CancellationError.self) { try await dependencies.clock.sleep(for: .seconds(1000)) }
    #expect(Set(used.take()) == ["clock"])
  }

  @Test func unimplemented_keepsNobodyWaitingForRandomNumbers() {
    let used = Uses()
    let dependencies = Dependencies.unimplemented { used.note($0) }
    #expect(dependencies.random(in: 1...6) == 1)
    #expect(used.take() == ["randomBits"])
    #expect(dependencies.randomElement(of: ["a", "b", "c"]) == "a")
    #expect(used.take() == ["randomBits"])
  }

  @Test func unimplemented_isSilentAboutWhatATestGives() {
    let used = Uses()
    var dependencies = Dependencies.unimplemented { used.note($0) }
    dependencies.date = { Date(timeIntervalSince1970: 5) }
    dependencies.randomBits = { 1 }
    #expect(dependencies.date() == Date(timeIntervalSince1970: 5))
    _ = dependencies.random(in: 0...9)
    #expect(used.take() == [])
  }

  @Test func missingDependency_saysWhatToDo() {
    let used = Uses()
    _ = Dependencies.unimplemented { used.note($0) }.date()
    #expect(
      used.descriptions == [
        "The riblet has used `date`, which this test has not given it: set `date` of its Dependencies."
      ])
  }

  // MARK: Random

  @Test(
    arguments: [
      (0, 1...6, 1), (.max, 1...6, 6), (1 << 63, 1...6, 4), (0, -3...3, -3), (.max, -3...3, 3), (7, 5...5, 5),
      (0, Int.min...Int.max, Int.min), (.max, Int.min...Int.max, Int.max), (0, 0...Int.max, 0),
      (.max, 0...Int.max, Int.max),
      (0, Int.min...0, Int.min), (.max, Int.min...0, 0),
    ] as [(UInt64, ClosedRange<Int>, Int)])
  func random_dependsOnTheBitsAlone(bits: UInt64, range: ClosedRange<Int>, expected: Int) {
    #expect(makeDependencies { bits }.random(in: range) == expected)
  }

  @Test func random_givesEveryValue() {
    let generator = Mutex(SeededGenerator(state: 1))
    let dependencies = makeDependencies { generator.withLock { $0.next() } }
    var counts: [Int: Int] = [:]
    for _ in 1...6000 { counts[dependencies.random(in: 1...6), default: 0] += 1 }
    #expect(counts.keys.sorted() == [1, 2, 3, 4, 5, 6])
    #expect(counts.values.allSatisfy { 800...1200 ~= $0 })
  }

  @Test func randomElement_dependsOnTheBitsAlone() {
    #expect(makeDependencies { 0 }.randomElement(of: [3, 4, 5]) == 3)
    #expect(makeDependencies { .max }.randomElement(of: [3, 4, 5]) == 5)
    #expect(makeDependencies { .max }.randomElement(of: [3, 4, 5].dropLast()) == 4)
    #expect(makeDependencies { 0 }.randomElement(of: [Int]()) == nil)
  }

  // MARK: live

  @Test func live_givesOtherValuesEachTime() {
    let live = Dependencies.live
    #expect(Set((1...10).map { _ in live.uuid() }).count == 10)
    #expect(Set((1...10).map { _ in live.randomBits() }).count == 10)
    #expect(live.date() > Date(timeIntervalSince1970: 1_700_000_000))
  }

  private func makeDependencies(bits: @escaping @Sendable () -> UInt64) -> Dependencies {
    var dependencies = Dependencies.unimplemented { Issue.record("\($0)") }
    dependencies.randomBits = bits
    return dependencies
  }
}

/// What was used of dependencies.
private final class Uses: Sendable {
  private let missing = Mutex<[MissingDependency]>([])

  var descriptions: [String] { missing.withLock { $0.map(\.description) } }

  func note(_ dependency: MissingDependency) { missing.withLock { $0.append(dependency) } }

  func take() -> [String] {
    missing.withLock { missing in
      defer { missing = [] }
      return missing.map(\.name)
    }
  }
}
