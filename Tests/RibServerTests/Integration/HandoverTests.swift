import Foundation
import RibTestSupport
import Testing

/// A newer version of the program takes over from an older one, at one socket and on one store.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct HandoverTests {
  private static let count = #"{"to":"","a":"count"}"#

  /// The older process goes on to write what it has; a session that the newer one has written is none of its own any more: its clients are
  /// told to come back later, and find the newer one.
  @Test func olderVersion_goesOnWriting_andLeavesNewerSessionsAlone() throws {
    let directory = try TemporaryDirectory()
    let (socket, _) = try #require(LocalSocket.listen())
    defer { close(socket) }
    let arguments = ["--timeouts-heartbeat-seconds", "600", "--timeouts-drain-seconds", "600"]
    let old = try Daemon(arguments, socket: socket, stateDirectory: directory.path)
    let twin = try TwinClient(old.url)
    #expect(try twin.create(#"{"app":"ledger"}"#).status == 201)
    #expect(try twin.act(#""1""#, Self.count).status == 200)
    let (mover, stayer) = (try Self.makeClient(old.url), try Self.makeClient(old.url))

    let new = try OtherVersion(.successor, socket: dup(socket), stateDirectory: directory.path)
    defer { new.stop() }
    // Whoever connects meanwhile comes to the newer one.
    kill(old.pid, SIGSTOP)
    let moved = try TwinClient(old.url, like: twin)
    #expect(try moved.view().body.contains(#""total":1"#))
    #expect(try moved.act(#""2""#, Self.count).status == 200)
    let back = try PlainClient(old.url, resuming: try mover.welcome, attempt: 1)
    #expect(try back.next(#"{"t":"snap""#).contains(#""total":1"#), "\(back.greeting)")
    try back.act(2, #""count""#)
    try back.next(#"{"t":"patch""#)
    kill(old.pid, SIGCONT)

    try stayer.act(2, #""count""#)
    #expect(try stayer.next(#"{"t":"patch""#).contains(#""value":2"#))
    // The older one is asked on connections that it has, for what the newer one has done already.
    try waitUntil {
      let answer = try twin.act(#""2""#, Self.count)
      try #require(answer.isProblem(503), "\(answer.body)")
      return answer.body.contains("by this version of the app")
    }
    try mover.act(2, #""count""#)
    #expect(try mover.end() == "moved 4002")
    back.cut()
    // Whichever of the two it comes to: while both take clients in, that may be the older one each time.
    let early = try PlainClient(old.url, resuming: try mover.welcome, attempt: 2)
    #expect(
      early.greeting.contains(#""code":"unavailable""#) || early.greeting.contains(#""t":"welcome""#),
      "\(early.greeting)")
    early.cut()

    // The older one ends once all have gone, and what was done there is there.
    kill(old.pid, SIGTERM)
    try stayer.next(#"{"t":"drain""#)
    // From here on it can only be the newer one.
    let late = try PlainClient(old.url, resuming: try mover.welcome, attempt: 3)
    #expect(try late.next(#"{"t":"snap""#).contains(#""total":2"#), "\(late.greeting)")
    late.cut()
    try stayer.act(3, #""count""#)
    #expect(try stayer.next(#"{"t":"patch""#).contains(#""value":3"#))
    stayer.cut()
    let last = try PlainClient(old.url, resuming: try stayer.welcome, attempt: 1)
    #expect(try last.next(#"{"t":"snap""#).contains(#""total":3"#), "\(last.greeting)")
    #expect(try moved.view().body.contains(#""total":2"#))
    #expect(old.stop() == 0)
  }

  /// A client of the ledger that has counted one.
  private static func makeClient(_ url: String) throws -> PlainClient {
    let client = try PlainClient(url, app: "ledger")
    try client.act(1, #""count""#)
    #expect(try client.next(#"{"t":"patch""#).contains(#""value":1"#))
    return client
  }
}
