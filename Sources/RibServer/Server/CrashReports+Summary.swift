extension CrashReports {
  /// How many lines of a report are shown.
  private static let lineLimit = 30

  /// The reports as an operator sees them, the newest first: of each what happened, and where.
  package var summaries: [CrashSummary.Report] {
    list().map { report in
      CrashSummary.Report(
        id: String(report.path.split(separator: "/").last ?? ""), time: Int(report.time / 1_000_000_000),
        bytes: report.byteCount, head: Self.head(of: readShortFile(report.path) ?? ""))
    }
  }

  /// The first line of a report, and the beginning of the thread that has crashed.
  ///
  /// - Parameter text: the report.
  /// - Returns: its first lines if it names no such thread.
  static func head(of text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(where: { $0.hasSuffix(" crashed:") }) else {
      return lines.prefix(lineLimit).joined(separator: "\n")
    }
    let thread = lines[start...].prefix(lineLimit)
    // Its frames are indented; the next headline is not.
    let end = thread.dropFirst().firstIndex { !$0.isEmpty && !$0.hasPrefix(" ") && $0 != "..." } ?? thread.endIndex
    return (lines.prefix(1) + [""] + thread[..<end]).joined(separator: "\n")
  }
}
