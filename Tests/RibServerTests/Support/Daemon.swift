import Foundation
import RibTestSupport
import Testing

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
  private let end: ProcessEnd

  /// Starts the daemon and waits for its URL.
  ///
  /// - Parameters:
  ///   - arguments: more than the port, the log level and the state directory.
  ///   - port: where it listens; 0 for a free one.
  ///   - socket: one that listens, which it is handed as systemd does; nil for none.
  ///   - stateDirectory: where it keeps sessions; nil for a directory that goes with it.
  ///   - environment: more than this process's.
  ///   - descriptors: how many it may have open; nil for as many as this process.
  ///   - log: a file that its log is added to; nil for this process's standard error.
  ///   - prelude: what a shell does before it becomes the daemon; nil for nothing.
  ///   - hasOwnMounts: whether what the shell mounts is there for the daemon alone.
  ///   - program: which daemon.
  ///   - startSeconds: how long it may take until it says its URL.
  /// - Throws: what the system says if it cannot be started; ``DaemonError`` if it says no URL.
  init(
    _ arguments: [String] = [], port: Int = 0, socket: Int32? = nil, stateDirectory: String? = nil,
    environment: [String: String] = [:],
    descriptors: Int? = nil, log: String? = nil, prelude: String? = nil, hasOwnMounts: Bool = false,
    program: String = "ribd", startSeconds: Double = 60
  ) throws {
    let directory = stateDirectory ?? Self.makeDirectory()
    ownsDirectory = stateDirectory == nil
    self.stateDirectory = directory
    process = Process()
    let ribd = Program.url(program)
    let all =
      [
        "--port", "\(port)", "--log-level", "error", "--state-dir", directory, "--timeouts-drain-seconds", "0",
        "--timeouts-closing-seconds", "1",
      ]
      + arguments
    if let socket { process.standardInput = FileHandle(fileDescriptor: socket, closeOnDealloc: false) }
    if let prelude = prelude ?? descriptors.map({ "ulimit -n \($0)" }) ?? socket.map({ _ in Self.takesSocket }) {
      process.executableURL = URL(fileURLWithPath: hasOwnMounts ? "/usr/bin/unshare" : "/bin/sh")
      process.arguments =
        (hasOwnMounts ? ["-m", "/bin/sh"] : []) + ["-c", #"\#(prelude) && exec "$0" "$@""#, ribd.path] + all
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
    end = ProcessEnd(of: process)
    try process.run()
    let text = Self.firstLine(of: output.fileHandleForReading.fileDescriptor, within: startSeconds)
    guard let start = text.range(of: "http://"), let port = Int(text.split(separator: ":").last ?? "") else {
      kill(process.processIdentifier, SIGKILL)
      _ = end.wait(within: 10)
      throw DaemonError(output: "No URL within \(startSeconds) seconds, but: \(text)")
    }
    url = String(text[start.lowerBound...])
    self.port = port
  }

  /// The socket comes as the standard input, which is what is left open of a process that Foundation starts.
  private static let takesSocket =
    "exec 3<&0 </dev/null && export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http"

  deinit {
    if process.isRunning { kill(pid, SIGKILL) }
    if ownsDirectory { try? FileManager.default.removeItem(atPath: stateDirectory) }
  }

  /// A name for a directory that does not exist yet.
  static func makeDirectory() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("ribd-\(UUID().uuidString)").path
  }

  /// What a descriptor gives up to the end of a line, or of all, or until time is up.
  private static func firstLine(of descriptor: Int32, within seconds: Double) -> String {
    let end = ContinuousClock.now + .seconds(seconds)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while ContinuousClock.now < end {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 100) > 0 else { continue }
      guard read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") else { break }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Sends a signal and waits for the end; one that does not end within two minutes is killed, which is an issue.
  ///
  /// - Returns: the exit status.
  func stop(_ signal: Int32 = SIGTERM) -> Int32 {
    kill(pid, signal)
    if !end.wait(within: 120) {
      Issue.record("The daemon \(pid) has not ended within two minutes of signal \(signal).")
      kill(pid, SIGKILL)
      _ = end.wait(within: 10)
    }
    return process.terminationStatus
  }

  /// Lets its files grow to so many bytes, or as long as they may.
  ///
  /// Once it runs: the thread sanitizer needs a larger file when it starts, and what it has of it is mapped.
  func limitFiles(to bytes: Int?) throws {
    let prlimit = URL(fileURLWithPath: "/usr/bin/prlimit")
    let limit = bytes.map { "\($0):unlimited" } ?? "unlimited"
    _ = try Program.run(prlimit, ["--pid", "\(pid)", "--fsize=\(limit)"])
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
