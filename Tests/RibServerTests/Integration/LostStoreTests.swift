import Foundation
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// The files of a store are removed or replaced under a daemon that is at work.
@Suite(.blocking, .timeLimit(.minutes(5))) struct LostStoreTests {
  private let directory: TemporaryDirectory
  private static let none = #"{"t":"notice","durability":"none"}"#
  private static let disk = #"{"t":"notice","durability":"disk"}"#

  init() throws { directory = try TemporaryDirectory() }

  /// A client that counts, and notes what it is told.
  private final class Counter {
    let client: PlainClient
    var number = 0
    var notices: [String] = []

    init(_ url: String) throws { client = try PlainClient(url, app: "counter") }

    /// Counts once, and waits for the answer.
    func count() throws {
      number += 1
      try client.act(number, #""increment""#)
      while true {
        let text = try client.next()
        if text.hasPrefix(#"{"t":"patch""#), text.contains(#""n":\#(number),"#) { return }
        if text.hasPrefix(#"{"t":"notice""#) { notices.append(text) }
      }
    }
  }

  private func remove(_ suffixes: [String]) throws {
    for suffix in suffixes { try FileManager.default.removeItem(atPath: directory.store + suffix) }
  }

  /// What was answered is there after a kill, also what was answered between the removal and the notice.
  @Test(arguments: [["", "-wal", "-shm"], ["-wal"], ["-shm"], [""]])
  func removedFiles_areToldToClients_andNothingIsLost(_ suffixes: [String]) throws {
    let log = "\(directory.path)/log"
    let first = try Daemon(stateDirectory: directory.path, log: log)
    let counter = try Counter(first.url)
    // It does nothing, and is told as well: what it has done is in danger, too.
    let idle = try PlainClient(first.url, app: "counter")
    for _ in 0..<20 { try counter.count() }
    try remove(suffixes)
    while counter.notices.count < 2 {
      try #require(counter.number < 200_000, "the removal was not noticed")
      try counter.count()
    }
    #expect(counter.notices == [Self.none, Self.disk])
    #expect(try [idle.next(), idle.next()] == [Self.none, Self.disk])
    for _ in 0..<20 { try counter.count() }
    _ = first.stop(SIGKILL)
    let text = try String(contentsOfFile: log, encoding: .utf8)
    #expect(text.contains("The session store fails.") && text.contains("was removed."), "\(text)")

    let second = try Daemon(stateDirectory: directory.path, log: log)
    let again = try PlainClient(second.url, resuming: try counter.client.welcome, attempt: 1)
    #expect(try again.welcome.number == counter.number)
    #expect(try again.next(#"{"t":"snap""#).contains(#""count":\#(counter.number),"#))
    _ = try PlainClient(second.url, resuming: try idle.welcome, attempt: 1)
    #expect(second.stop() == 0)
  }

  /// A daemon that is stopped before it has looked puts the store back first.
  @Test func removedFiles_areWrittenAnewAtTheStop() throws {
    let first = try Daemon(stateDirectory: directory.path)
    let counter = try Counter(first.url)
    for _ in 0..<20 { try counter.count() }
    try remove(["", "-wal", "-shm"])
    #expect(first.stop() == 0)
    let second = try Daemon(stateDirectory: directory.path)
    let again = try PlainClient(second.url, resuming: try counter.client.welcome, attempt: 1)
    #expect(try again.welcome.number == 20)
    #expect(second.stop() == 0)
  }

  /// Nothing counts as stored from then on.
  ///
  /// What was stored is saved, and can be put back.
  @Test func replacedStore_isTold_andSavedBesideTheOther() throws {
    let log = "\(directory.path)/log"
    let first = try Daemon(stateDirectory: directory.path, log: log)
    let counter = try Counter(first.url)
    for _ in 0..<20 { try counter.count() }
    try remove(["", "-wal", "-shm"])
    try Data("something else".utf8).write(to: URL(fileURLWithPath: directory.store))
    while counter.notices.isEmpty { try counter.count() }
    let answered = counter.number - 1
    #expect(counter.notices == [Self.none])
    try waitUntil { FileManager.default.fileExists(atPath: "\(directory.store).rescued-1") }
    try counter.count()
    // What was told not to be stored is counted as lost.
    #expect(first.stop() == 1)
    #expect(counter.notices == [Self.none])
    #expect(try String(contentsOfFile: directory.store, encoding: .utf8) == "something else")

    try remove([""])
    let restoration = try StoreRestoration(from: "\(directory.store).rescued-1", to: directory.path)
    #expect(restoration.sessionCount == 1)
    let second = try Daemon(stateDirectory: directory.path, log: log)
    let again = try PlainClient(second.url, resuming: try counter.client.welcome, attempt: 1)
    #expect(try again.welcome.number == answered)
    #expect(second.stop() == 0)
  }
}
