import Foundation

/// What this run of the tests is for, as the environment says.
package enum TestRun {
  /// Whether tests have the volumes for which only a night has time (`RIB_NIGHTLY=1`).
  package static let isNightly = isSet("RIB_NIGHTLY")

  /// Whether times are judged, which only a machine without other work allows (`RIB_JUDGE_TIME=1`).
  package static let judgesTime = isSet("RIB_JUDGE_TIME")

  /// Whether a test whose tool is missing fails, instead of being skipped (`RIB_REQUIRE_ALL=1`).
  package static let requiresAll = isSet("RIB_REQUIRE_ALL")

  /// Whether what a server says replaces what was recorded, instead of being compared with it (`RIB_RECORD=1`).
  package static let recordsAnew = isSet("RIB_RECORD")

  /// What random tests draw from besides the seeds that they always have: the number of the day since 1970, in UTC, or what
  /// `RIB_SEED` says.
  package static let seed: UInt64 = {
    let today = UInt64(Date().timeIntervalSince1970 / 86_400)
    let seed = ProcessInfo.processInfo.environment["RIB_SEED"].flatMap { UInt64($0) } ?? today
    print("The random tests draw from the seed of the day: RIB_SEED=\(seed) repeats them.")
    return seed
  }()

  /// The seeds of a random test.
  ///
  /// - Parameters:
  ///   - known: those of every run.
  ///   - count: how many others there are, which are new each day.
  /// - Returns: those of every run, and the day's.
  package static func seeds(_ known: UInt64..., new count: Int = 1) -> [UInt64] {
    known + (0..<UInt64(count)).map { seed &* 1000 &+ $0 }
  }

  /// How much a test does: `usual`, or more at night.
  package static func volume(_ usual: Int, nightly: Int) -> Int { isNightly ? nightly : usual }

  /// Whether tests run that need a tool: it is there, or is to be missed.
  package static func includesTests<Tool>(of tool: Tool?) -> Bool { tool != nil || requiresAll }

  private static func isSet(_ name: String) -> Bool { ProcessInfo.processInfo.environment[name] == "1" }
}
