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

    // Listening for itself, so that it is known who comes to which of the two.
    let new = try OtherVersion(.successor, stateDirectory: directory.path)
    defer { new.stop() }
    let moved = try TwinClient(new.url, like: twin)
    #expect(try moved.view().body.contains(#""total":1"#))
    #expect(try moved.act(#""2""#, Self.count).status == 200)
    let back = try PlainClient(new.url, resuming: try mover.welcome, attempt: 1)
    #expect(try back.next(#"{"t":"snap""#).contains(#""total":1"#), "\(back.greeting)")
    try back.act(2, #""count""#)
    try back.next(#"{"t":"patch""#)

    try stayer.act(2, #""count""#)
    #expect(try stayer.next(#"{"t":"patch""#).contains(#""value":2"#))
    // The older one is asked on connections that it has, for what the newer one has done already.
    try waitUntil {
      let answer = try twin.act(#""2""#, Self.count)
      try #require(answer.isProblem(503), "\(answer.body)")
      return answer.body.contains("from a newer server")
    }
    try mover.act(2, #""count""#)
    #expect(try mover.end() == "moved 4002")
    back.cut()
    let early = try PlainClient(old.url, resuming: try mover.welcome, attempt: 2)
    #expect(early.greeting.contains(#""code":"unavailable""#), "\(early.greeting)")
    early.cut()

    // The older one ends once all have gone, and what was done there is there.
    kill(old.pid, SIGTERM)
    try stayer.next(#"{"t":"drain""#)
    try stayer.act(3, #""count""#)
    #expect(try stayer.next(#"{"t":"patch""#).contains(#""value":3"#))
    stayer.cut()
    #expect(try Self.view(of: stayer, from: new).contains(#""total":3"#))
    #expect(try Self.view(of: mover, from: new).contains(#""total":2"#))
    // Who has asked the older one in vain has taken the session from the newer one, which says so once.
    try waitUntil { try moved.view().body.contains(#""total":2"#) }
    #expect(old.stop() == 0)
  }

  /// What a client sees that comes back to the newer one; it comes again if the session has been asked for at the older one since.
  private static func view(of client: PlainClient, from new: OtherVersion) throws -> String {
    var view = ""
    var attempt = 3
    try waitUntil {
      let late = try PlainClient(new.url, resuming: try client.welcome, attempt: attempt)
      attempt += 1
      if late.greeting.hasPrefix(#"{"t":"welcome""#) { view = try late.next(#"{"t":"snap""#) }
      late.cut()
      return !view.isEmpty
    }
    return view
  }

  /// A client of the ledger that has counted one.
  private static func makeClient(_ url: String) throws -> PlainClient {
    let client = try PlainClient(url, app: "ledger")
    try client.act(1, #""count""#)
    #expect(try client.next(#"{"t":"patch""#).contains(#""value":1"#))
    return client
  }
}
