import Foundation
import Testing

@testable import RibServer

@Suite struct CrashReportsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func reports(_ program: String = "/usr/local/bin/ribd") throws -> CrashReports {
    try #require(CrashReports(options: "enable=yes,output-to=\(directory.path)/crashes", program: program))
  }

  /// Writes a file as if at a time, in seconds since 1970.
  private func write(_ name: String, at seconds: Int = 0) throws {
    let path = "\(directory.path)/crashes/\(name)"
    try Data("*** Program crashed\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: path)
  }

  private func names(_ reports: CrashReports) -> [String] {
    reports.list().map { String($0.path.split(separator: "/").last ?? "") }
  }

  @Test(arguments: [
    ("", nil), ("enable=yes", nil), ("output-to=stdout", nil), ("enable=yes,output-to=stderr", nil), ("output-to", nil),
    ("output-to=", nil), ("output-to=/var/crashes", "/var/crashes"), ("enable=yes,output-to=a,color=no", "a"),
    ("output-to=a,output-to=b=c", "b=c"), ("output-to=a,output-to=stderr", nil),
  ])
  func directory_isThatOfTheRuntime(options: String, directory: String?) {
    #expect(CrashReports(options: options, program: "ribd")?.directory == directory)
  }

  @Test func newestTen_areKept_andNothingElseIsTouched() throws {
    let reports = try reports()
    #expect(reports.list().isEmpty)
    try reports.prepare()
    #expect(reports.list().isEmpty)
    for number in 1...12 { try write("ribd-\(number)-0.0.log", at: 1000 + number) }
    let others = [
      "ribd-cluster-7-0.0.log", "ribd-7-0.0.txt", "ribd-7.log", "ribd-7-0.log", "ribd-x-0.0.log", "ribd-7-0.0-.log",
      "ribd-7-0.0-1-2.log", "notes",
    ]
    for name in others { try write(name) }
    try FileManager.default.createDirectory(
      atPath: "\(reports.directory)/ribd-99-0.0.log", withIntermediateDirectories: false)
    #expect(names(reports) == (1...12).reversed().map { "ribd-\($0)-0.0.log" })
    try reports.prepare()
    #expect(names(reports) == (3...12).reversed().map { "ribd-\($0)-0.0.log" })
    let left = try FileManager.default.contentsOfDirectory(atPath: reports.directory)
    #expect(Set(others).isSubset(of: left) && left.count == 10 + others.count + 1)
  }

  /// A container's process has the same number each time.
  @Test func processesOfOneNumber_haveReportsOfTheirOwn() throws {
    let reports = try reports()
    try reports.prepare()
    try write("ribd-1-0.0.log", at: 1)
    try write("ribd-1-0.0-2.log", at: 2)
    #expect(names(reports) == ["ribd-1-0.0-2.log", "ribd-1-0.0.log"])
  }

  @Test func report_isTheNewestSinceATime() throws {
    let reports = try reports()
    try reports.prepare()
    try write("ribd-1-0.0.log", at: 10)
    try write("ribd-2-0.0.log", at: 20)
    #expect(reports.newest(since: 20_000_000_000)?.path.hasSuffix("ribd-2-0.0.log") == true)
    #expect(reports.newest(since: 15_000_000_000)?.byteCount == 20)
    #expect(reports.newest(since: 20_000_000_001) == nil)
  }

  /// The system keeps 15 bytes of a program's name.
  @Test func longName_isCutAsTheSystemDoesIt() throws {
    let reports = try reports("a-program-with-a-long-name")
    try reports.prepare()
    try write("a-program-with--1-0.0.log")
    #expect(names(reports).count == 1)
  }

  /// An operator is shown what has crashed, and not the threads that wait.
  @Test func summary_hasTheThreadThatHasCrashed() throws {
    let report = """
      *** Program crashed: Illegal instruction at 0x1 ***

      Platform: x86_64 Linux

      Thread 0 "ribd":

        0 0x1 sigsuspend in libc.so.6

      Thread 5 "ribd" crashed:

        0 0x2 Login.reduce(into:viewAction:) in ribd at Login.swift:38:22

      Thread 6 "ribd":

        0 0x3 futex in libc.so.6

      Images (13 omitted):
      """
    #expect(
      CrashReports.head(of: report) == """
        *** Program crashed: Illegal instruction at 0x1 ***

        Thread 5 "ribd" crashed:

          0 0x2 Login.reduce(into:viewAction:) in ribd at Login.swift:38:22

        """)
    #expect(CrashReports.head(of: String(repeating: "x\n", count: 100)).split(separator: "\n").count == 30)
    #expect(CrashReports.head(of: "") == "")
    let reports = try reports()
    try reports.prepare()
    try write("ribd-1-0.0.log", at: 5)
    #expect(
      reports.summaries == [
        CrashSummary.Report(id: "ribd-1-0.0.log", time: 5, bytes: 20, head: "*** Program crashed\n")
      ])
  }

  @Test func directoryThatCannotBeMade_isAClearError() throws {
    try Data().write(to: URL(fileURLWithPath: "\(directory.path)/crashes"))
    let reports = try #require(
      CrashReports(options: "output-to=\(directory.path)/crashes/here", program: "ribd"))
    let error = #expect(throws: StoreError.self) { try reports.prepare() }
    #expect("\(error as Any)".contains("Choose another with output-to in SWIFT_BACKTRACE."))
  }
}
