import Foundation
import RibClient
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// Pages of the session file are overwritten while a server runs on it.
@Suite(.timeLimit(.minutes(5))) struct StoreDamageTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Pages of one session are overwritten: it ends, and every other one is written as before, also in the same commit.
  @Test func sessionThatIsDamagedWhileItRuns_isEndedAlone() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with([Logbook.app()], on: store) { [directory] host in
      let (bad, good) = try await blocking { (try PlainClient(host.url), try PlainClient(host.url)) }
      try await blocking {
        try bad.act(1, #"{"write":"\#(String(repeating: "B", count: 3900))"}"#)
        try bad.next(#"{"t":"patch""#)
        try good.act(1, #"{"write":"a"}"#)
        try good.next(#"{"t":"patch""#)
        try directory.damagePages(of: "B")
        host.store.hold(true)
        // Longer than what was there: the state is written anew.
        try bad.act(2, #"{"write":"\#(String(repeating: "C", count: 6000))"}"#)
        try good.act(2, #"{"write":"b"}"#)
      }
      #expect(await eventually { host.store.isWaiting })
      host.store.hold(false)
      try await blocking {
        try bad.next(#"{"t":"bye","code":"failed","#)
        // Neither is told that the store fails: it does not.
        for number in 3...20 {
          try good.next(#"{"t":"patch""#)
          try good.act(number, #"{"write":"b"}"#)
        }
        try good.next(#"{"t":"patch""#)
      }
      #expect(!host.writer.isFailing)
      let lines = try host.store.load(try good.welcome.sessionID)?.tree.nodes[1]?.state
      #expect(lines?.components(separatedBy: #""b""#).count == 20, "\(lines ?? "")")
    }
  }

  /// Pages are overwritten while the server runs: it says so and goes on.
  @Test func fileThatIsDamagedWhileItRuns_isSurvivedInMemory() async throws {
    try await withServer(
      apps: [Logbook.app()],
      { [directory] in
        $0.store = .sqlite
        $0.stateDirectory = directory.path
      }
    ) { _, url in
      try await blocking {
        let client = try PlainClient(url)
        try directory.damageAllPages()
        for number in 1...20 { try client.act(number, #"{"write":"\#(number)"}"#) }
        #expect(try client.next() == #"{"t":"notice","durability":"none"}"#)
        for number in 1...20 { #expect(try client.next(#"{"t":"patch""#).contains(#""n":\#(number),"#)) }
      }
    }
  }
}
