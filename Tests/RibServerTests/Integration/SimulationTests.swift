import Foundation
import RibTestSupport
import Testing

/// What `ribsim` can be relied on for: that a seed is a schedule, that disks that lie are found, and that few steps tell why.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SimulationTests {
  /// In the four seeds further on connections are refused, and which one it is was once drawn in the order of their descriptors: these are other
  /// ones each time, as threads of the system's libraries open some as well.
  @Test(arguments: [
    ([], Array(40..<46)), (["--cluster"], Array(40..<46) + [42_000_061, 42_000_105, 42_000_112, 42_000_196]),
  ])
  func seed_givesTheSameTraceTwice(kind: [String], seeds: [Int]) throws {
    let traces = try (0..<2).map { _ in
      try seeds.map { seed in
        let run = try ribsim(kind + ["--seed", "\(seed)", "--steps"])
        #expect(run.status == 0, "\(run.output.suffix(500)) \(run.errors.suffix(500))")
        return try #require(run.output.split(separator: "\n").last { $0.hasPrefix("trace ") })
      }
    }
    #expect(traces[0] == traces[1])
    #expect(Set(traces[0]).count == traces[0].count, "schedules of other seeds are other ones")
  }

  /// With such a disk an answer survives no power cut, whatever the server does.
  @Test(arguments: ["syncs", "directory-syncs"])
  func diskThatLies_isFound(lie: String) throws {
    let run = try ribsim(["--seed", "0", "--count", "60", "--lie", lie])
    #expect(run.status == 1)
    #expect(run.output.contains("\nseed "), "\(run.output)")
  }

  @Test func shrinker_leavesOutWhatIsNotNeeded() throws {
    let found = try ribsim(["--seed", "0", "--count", "60", "--lie", "syncs"])
    let line = try #require(found.output.split(separator: "\n").first { $0.hasPrefix("seed ") })
    let seed = try #require(line.dropFirst(5).split(separator: ":").first)
    let shrunk = try ribsim(["--seed", "\(seed)", "--lie", "syncs", "--shrink"])
    let lines = shrunk.output.split(separator: "\n")
    let command = try #require(lines.last { $0.hasPrefix("ribsim ") }).split(separator: " ")
    let places = try #require(command.last)
    #expect(lines.count - 1 <= 6, "a power cut and what came before it: \(shrunk.output)")
    let again = try ribsim(["--seed", "\(seed)", "--lie", "syncs", "--steps", "--only", "\(places)"])
    #expect(again.status == 1, "\(again.output.suffix(500))")
    #expect(again.output.contains("\nseed \(seed): "))
  }

  private func ribsim(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    try Program.run(Program.url("ribsim"), arguments, within: 300)
  }
}
