#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The reports that Swift's runtime writes when a program crashes, in the directory behind `output-to` in `SWIFT_BACKTRACE`.
///
/// The runtime names a report after the program and the process, as `ribd-4711-0.0.log`; it removes none. Only reports with the
/// program's own name are looked at: other programs may have the same directory.
package struct CrashReports: Equatable, Sendable {
  /// One report.
  package struct Report: Equatable, Sendable {
    /// The report's file.
    package let path: String
    /// When the report was written, in nanoseconds since 1970.
    package let time: Int64
    /// The size of the file.
    package let byteCount: Int
  }

  /// How many reports ``prune()`` keeps.
  package static let keptCount = 10

  /// The reports of the program that runs; nil if it writes none to a directory.
  package static let ofProcess = CrashReports(
    options: getenv("SWIFT_BACKTRACE").map { String(cString: $0) } ?? "", program: CommandLine.arguments.first ?? "")

  /// Where the reports are.
  package let directory: String
  /// The program's name, as the system keeps it of a process: its first 15 bytes (proc(5)).
  private let program: String

  /// The reports that options of the runtime ask for; nil if these do not go to a directory.
  ///
  /// - Parameters:
  ///   - options: the value of `SWIFT_BACKTRACE`.
  ///   - program: the file that runs, with or without its directory.
  package init?(options: String, program: String) {
    let settings = options.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
    // Of a setting that is given twice the last one counts.
    let output = settings.last { $0.count == 2 && $0[0] == "output-to" }.map { String($0[1]) }
    guard let output, !["stdout", "stderr"].contains(output) else { return nil }
    directory = output
    self.program = String(decoding: (program.split(separator: "/").last ?? "").utf8.prefix(15), as: UTF8.self)
  }

  /// Makes the directory, and removes all reports but the newest ``keptCount``.
  ///
  /// The runtime writes into a directory only if it is there.
  ///
  /// - Throws: ``StoreError`` if the directory cannot be made.
  package func prepare() throws(StoreError) {
    try ServerSettings.makeDirectory(directory, "directory for crash reports", flag: "output-to in SWIFT_BACKTRACE")
    prune()
  }

  /// Removes all reports but the newest ``keptCount``.
  package func prune() {
    for report in list().dropFirst(Self.keptCount) { unlink(report.path) }
  }

  /// The reports that there are.
  ///
  /// - Returns: the newest one first; none if the directory cannot be read.
  package func list() -> [Report] {
    guard let names = fileNames(in: directory) else { return [] }
    let reports = names.compactMap { name -> Report? in
      guard isReport(name) else { return nil }
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      return Report(path: path, time: status.changed, byteCount: Int(status.st_size))
    }
    return reports.sorted { ($0.time, $0.path) > ($1.time, $1.path) }
  }

  /// The newest report since a time.
  ///
  /// - Parameter time: nanoseconds since 1970.
  /// - Returns: nil if there is none.
  package func newest(since time: Int64) -> Report? { list().first.flatMap { $0.time >= time ? $0 : nil } }

  /// Whether a file has the name of a report: `PROGRAM-PID-SECONDS.MICROSECONDS.log`, with a number before the last dot if there was a
  /// file of this name.
  private func isReport(_ name: String) -> Bool {
    guard name.hasPrefix("\(program)-"), name.hasSuffix(".log") else { return false }
    let rest = name.dropFirst(program.count + 1).dropLast(4)
    let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
    guard 2...3 ~= parts.count else { return false }
    let time = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard time.count == 2 else { return false }
    return ([parts[0]] + time + parts.dropFirst(2)).allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { 48...57 ~= $0 }
    }
  }
}

extension stat {
  /// When the content was changed last, in nanoseconds since 1970.
  var changed: Int64 {
    #if canImport(Darwin)
      Int64(st_mtimespec.tv_sec) * 1_000_000_000 + Int64(st_mtimespec.tv_nsec)
    #else
      Int64(st_mtim.tv_sec) * 1_000_000_000 + Int64(st_mtim.tv_nsec)
    #endif
  }
}
