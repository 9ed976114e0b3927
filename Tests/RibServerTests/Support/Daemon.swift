import Foundation

/// A `ribd` of its own for one test, stopped by its process id.
///
/// `@unchecked Sendable`: nothing of it changes after `init`, and `Process` is only asked for its id and waited for, which
/// is thread-safe.
final class Daemon: @unchecked Sendable {
  let url: String
  let port: Int
  var pid: Int32 { process.processIdentifier }
  /// Where it keeps sessions.
  let stateDirectory: String
  private let ownsDirectory: Bool
  private let process: Process

  /// Starts the daemon and waits for its URL.
  ///
  /// - Parameters:
  ///   - arguments: more than the port, the log level and the state directory.
  ///   - port: where it listens; 0 for a free one.
  ///   - stateDirectory: where it keeps sessions; nil for a directory that goes with it.
  ///   - environment: more than this process's.
  ///   - descriptors: how many it may have open; nil for as many as this process.
  ///   - log: a file that its log is added to; nil for this process's standard error.
  ///   - prelude: what a shell does before it becomes the daemon; nil for nothing.
  /// - Throws: what the system says if it cannot be started; ``DaemonError`` if it says no URL.
  init(
    _ arguments: [String] = [], port: Int = 0, stateDirectory: String? = nil, environment: [String: String] = [:],
    descriptors: Int? = nil, log: String? = nil, prelude: String? = nil
  ) throws {
    let directory = stateDirectory ?? Self.makeDirectory()
    ownsDirectory = stateDirectory == nil
    self.stateDirectory = directory
    process = Process()
    let ribd = Program.url("ribd")
    let all =
      ["--port", "\(port)", "--log-level", "error", "--state-dir", directory, "--timeouts-drain-seconds", "0"]
      + arguments
    if let prelude = prelude ?? descriptors.map({ "ulimit -n \($0)" }) {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", #"\#(prelude) && exec "$0" "$@""#, ribd.path] + all
    } else {
      process.executableURL = ribd
      process.arguments = all
    }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    if let log {
      let descriptor = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      process.standardError = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    let text = String(decoding: line, as: UTF8.self)
    guard let start = text.range(of: "http://"), let port = Int(text.split(separator: ":").last ?? "") else {
      process.terminate()
      throw DaemonError(output: text)
    }
    url = String(text[start.lowerBound...])
    self.port = port
  }

  deinit {
    if process.isRunning { kill(pid, SIGKILL) }
    if ownsDirectory { try? FileManager.default.removeItem(atPath: stateDirectory) }
  }

  /// A name for a directory that does not exist yet.
  static func makeDirectory() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("ribd-\(UUID().uuidString)").path
  }

  /// Sends a signal and waits for the end.
  ///
  /// - Returns: the exit status.
  func stop(_ signal: Int32 = SIGTERM) -> Int32 {
    kill(pid, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Lets its files grow as long as they may.
  func liftFileLimit() throws {
    let prlimit = URL(fileURLWithPath: "/usr/bin/prlimit")
    _ = try Program.run(prlimit, ["--pid", "\(pid)", "--fsize=unlimited"])
  }

  /// The number of open descriptors.
  var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? -1
  }

  /// The processor time that it has taken, in hundredths of a second.
  var processorTime: Int {
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    // The name, in parentheses, is the second field; utime and stime are the 14th and the 15th.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : -1
  }

  /// Resident memory in KiB.
  var residentKilobytes: Int {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? -1
  }
}

struct DaemonError: Error {
  let output: String
}

/// The package's executables, built beside the tests.
enum Program {
  static func url(_ name: String) -> URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  /// A program of the system's; nil if it is not in `PATH`.
  static func find(_ name: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Runs a program to its end.
  static func run(
    _ executable: URL, _ arguments: [String], input: String = "", directory: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = directory }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self))
  }
}

/// The repository's folder.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()
