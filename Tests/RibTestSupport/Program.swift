package import Foundation

/// Programs that a test runs to their end: the package's executables, built beside the tests, and the system's.
package enum Program {
  /// Where the package's executables are: beside the tests, unless `RIB_PROGRAMS` names the directory of another build.
  private static let directory =
    ProcessInfo.processInfo.environment["RIB_PROGRAMS"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// An executable of the package.
  package static func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

  /// A program of the system's; nil if it is not in `PATH`.
  package static func find(_ name: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// A program has not ended in time, and was killed.
  package struct TimeIsUp: Error, CustomStringConvertible {
    package let program: String
    package let seconds: Double
    package let output: String
    package let errors: String

    package var description: String {
      "\(program) has not ended within \(seconds) seconds, and was killed. Output: \(output)\nErrors: \(errors)"
    }
  }

  // Output and errors are read at once, each on a thread: a program that fills the one pipe while the other is read would
  // wait for ever.

  /// Runs a program to its end, or throws ``TimeIsUp`` with all that was printed after so many seconds.
  package static func run(
    _ executable: URL, _ arguments: [String], input: String = "", directory: URL? = nil,
    environment: [String: String] = [:], within seconds: Double = 120
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = directory }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let stdin = Pipe()
    let (output, errors) = (CollectedOutput(), CollectedOutput())
    process.standardInput = stdin
    process.standardOutput = output.pipe
    process.standardError = errors.pipe
    let end = ProcessEnd(of: process)
    try process.run()
    output.collect()
    errors.collect()
    BlockingThread.start {
      // A program that ends without having read its input has not wanted it, and ends no more than this thread's writing.
      var pipe = sigset_t()
      sigemptyset(&pipe)
      sigaddset(&pipe, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &pipe, nil)
      try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try? stdin.fileHandleForWriting.close()
    }
    let hasEnded = end.wait(within: seconds)
    if !hasEnded {
      kill(process.processIdentifier, SIGKILL)
      _ = end.wait(within: 10)
    }
    // What it has started may hold the pipes open for longer.
    output.waitForEnd(within: 30)
    errors.waitForEnd(within: 30)
    guard hasEnded else {
      throw TimeIsUp(
        program: executable.lastPathComponent, seconds: seconds, output: output.text, errors: errors.text)
    }
    return (process.terminationStatus, output.text, errors.text)
  }
}

/// The end of a process; to be made before the process is started.
package final class ProcessEnd: Sendable {
  private let hasEnded = DispatchSemaphore(value: 0)

  package init(of process: Process) { process.terminationHandler = { [hasEnded] _ in hasEnded.signal() } }

  /// Waits for the end, as often as one likes.
  ///
  /// - Returns: false if time was up.
  package func wait(within seconds: Double) -> Bool {
    guard hasEnded.wait(timeout: .now() + seconds) == .success else { return false }
    hasEnded.signal()
    return true
  }
}

/// The repository's folder.
package let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
