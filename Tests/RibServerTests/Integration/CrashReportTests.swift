import CurlTransport
import Foundation
import GRDB
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// A daemon that dies of an app's code: what its operator finds.
@Suite(.blocking) struct CrashReportTests {
  private let directory: TemporaryDirectory
  private var log: String { "\(directory.path)/log" }
  private var crashes: String { "\(directory.path)/crashes" }
  private var state: String { "\(directory.path)/state" }

  init() throws { directory = try TemporaryDirectory() }

  private func daemon() throws -> Daemon {
    // As the units and the image have it.
    let options = "enable=yes,interactive=no,color=no,registers=none,sanitize=yes,output-to=\(crashes)"
    return try Daemon(stateDirectory: state, environment: ["SWIFT_BACKTRACE": options], log: log)
  }

  private func reports() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: crashes).filter { $0.hasPrefix("ribd-") }
  }

  private static let password = "correct horse battery staple"

  /// Brings a session of the login to where its next attempt is one more than a number can be.
  private func prepareSession() throws -> Welcome {
    let daemon = try daemon()
    let client = try PlainClient(daemon.url, app: "login")
    try client.send(
      #"{"t":"act","n":1,"to":"login","a":{"signInTapped":{"name":"ada","password":"\#(Self.password)"}}}"#)
    _ = try client.all(until: #"{"t":"patch""#)
    let welcome = try client.welcome
    #expect(daemon.stop() == 0)
    let store = try DatabaseQueue(path: "\(state)/sessions.sqlite")
    let count = try store.write { database in
      // A small state is beside its changes.
      try database.execute(
        sql: "UPDATE change SET ops = replace(ops, ?, ?) WHERE instr(ops, ?) > 0",
        arguments: [#""attempts":0"#, #""attempts":\#(Int.max)"#, #""attempts":0"#])
      return database.changesCount
    }
    try store.close()
    #expect(count == 1, "the state of the login is in one place")
    return welcome
  }

  @Test(.enabled(if: Sanitizer.current != .thread, "the thread sanitizer dies where the report is made"))
  func trapInAnAction_leavesAReport_whichTheNextStartNames() throws {
    let welcome = try prepareSession()
    // Ten of earlier crashes, and one more.
    for number in 1...11 {
      let path = "\(crashes)/ribd-\(number)-0.0.log"
      try Data().write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(1000 + number))], ofItemAtPath: path)
    }
    do {
      let daemon = try daemon()
      #expect(try reports().count == 10)
      let client = try PlainClient(daemon.url, resuming: welcome, attempt: 1)
      try client.next(#"{"t":"snap""#)
      try client.send(#"{"t":"act","n":2,"to":"login","a":"onTapLoginButton"}"#)
      while try client.socket.text() != nil {}
      // The process is dead; the signal is not asked for any more.
      #expect(daemon.stop(0) != 0)
    }
    let left = try reports()
    let old = Set((2...11).map { "ribd-\($0)-0.0.log" })
    #expect(left.count == 11 && old.isSubset(of: left))
    let name = try #require(left.first { !old.contains($0) })
    let report = try String(contentsOfFile: "\(crashes)/\(name)", encoding: .utf8)
    #expect(report.contains(" crashed:") && report.contains("Login.reduce"), "\(report.prefix(2000))")
    for secret in [Self.password, welcome.token, "Registers"] { #expect(!report.contains(secret)) }

    let daemon = try daemon()
    #expect(daemon.stop() == 0)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let found = lines.filter { $0.contains("An earlier process died while it ran a client's action.") }
    #expect(found.count == 1)
    for part in [
      " critical ", "app=login", "client=\(welcome.clientID) ", "n=2", "session=\(welcome.sessionID)",
      "report=\(crashes)/\(name)",
    ] { #expect(found.first?.contains(part) == true, "\(part): \(found)") }
    // Ten are kept, with the last one.
    #expect(try reports().count == 10 && reports().contains(name))
  }
}
