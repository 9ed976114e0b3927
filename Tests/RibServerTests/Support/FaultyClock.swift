import Foundation
import RibTestSupport

/// A wall clock that somebody sets while daemons go by it.
///
/// The daemon's calls of `time()` come to a library of the test's own, which adds what a file says. It is compiled here, by
/// the compiler that every Swift on Linux comes with. The monotonic clock stays the system's, as it does when a clock is set.
struct FaultyClock: Sendable {
  /// There is no compiler, or it has failed.
  struct CompilerError: Error { let output: String }

  /// Seconds in an hour and in a month: a jump is at least one and at most the other.
  private static let jumps = 3600.0...2_592_000.0

  /// What a daemon is started with that is to go by it.
  let environment: [String: String]
  private let path: String

  /// A clock that shows the system's time; the library and the file are made in a directory.
  init(in directory: String) throws {
    path = "\(directory)/clock"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    guard let compiler = Program.find("clang") ?? Program.find("cc") else {
      throw CompilerError(output: "There is neither clang nor cc.")
    }
    let library = "\(directory)/clock.so"
    let source = repository.appendingPathComponent("Tests/Faults/clock.c").path
    let result = try Program.run(compiler, ["-shared", "-fPIC", "-O", "-o", library, source])
    guard result.status == 0 else { throw CompilerError(output: result.errors) }
    // A sanitizer has one of its own there.
    let libraries = [library, ProcessInfo.processInfo.environment["LD_PRELOAD"]].compactMap(\.self)
    environment = ["LD_PRELOAD": libraries.joined(separator: ":"), "RIB_TEST_CLOCK": path]
    set(0)
  }

  /// Sets it to the system's time and so many seconds; daemons that run see that at once.
  func set(_ seconds: Int) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    var shift = Int64(seconds)
    precondition(pwrite(descriptor, &shift, 8, 0) == 8, "the clock cannot be set")
  }

  /// Sets it forward or back, by an hour or a month or what is between.
  func jump(_ random: inout SeededGenerator) {
    set(random.magnitude(in: Self.jumps) * (Bool.random(using: &random) ? 1 : -1))
  }
}
