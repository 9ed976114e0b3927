import Testing
import Wire
import WireHTTP

@testable import RibServer

/// What the HTTP twin answers when a session cannot: nothing that was not done is told to be done.
@Suite(.timeLimit(.minutes(5))) struct TwinFailureTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func withServer(_ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
    try await RibServerTests.withServer(
      apps: [Logbook.app()],
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
      }
    ) { _, url in try await body(url) }
  }

  private static func write(_ line: String) -> String { #"{"to":"","a":{"write":"\#(line)"}}"# }

  /// A session of a client of the twin, which another server has taken over meanwhile; and the client there.
  private func withSessionThatWasTakenOver(
    _ body: @escaping @Sendable (_ here: TwinClient, _ there: PlainClient) throws -> Void
  ) async throws {
    try await withServer { [self] url in
      let (here, made) = try await blocking {
        let client = try TwinClient(url)
        let made = try client.create(#"{"app":"logbook"}"#)
        try #require(try client.act(#""1""#, Self.write("first")).status == 200)
        return (client, made.body)
      }
      try await withServer { other in
        try await blocking {
          var reader = JSONReader()
          guard case .welcome(let welcome) = try ServerMessage(reader.read(made).root) else {
            throw PlainClient.Unexpected(text: made)
          }
          let there = try PlainClient(other, saying: PlainClient.resume(welcome, attempt: 1))
          try there.greet()
          try there.next(#"{"t":"snap","#)
          try body(here, there)
        }
      }
    }
  }

  @Test func actionOfASessionThatWasTakenOver_isNotToldToBeDone() async throws {
    try await withSessionThatWasTakenOver { here, there in
      let answer = try here.act(#""2""#, Self.write("lost"))
      #expect(answer.isProblem(503) && answer.headers["Retry-After"] == "1", "\(answer)")
      try there.act(2, #"{"write":"kept"}"#)
      try there.next(#"{"t":"patch","rev":3,"base":2,"n":2,"#)
      // It is asked again, as the answer says: the number was used elsewhere meanwhile.
      let again = try here.act(#""2""#, Self.write("lost"))
      #expect(again.status == 200 && again.body.contains(#""n":2,"#), "\(again)")
      #expect(try here.view().body.contains(#""lines":["first","kept"]"#))
    }
  }

  /// The session goes on elsewhere, and its end is told all the same.
  @Test func endOfASessionThatWasTakenOver_isNotToldToBeDone() async throws {
    try await withSessionThatWasTakenOver { here, there in
      let answer = try here.end()
      #expect(answer.isProblem(503) && answer.headers["Retry-After"] == "1", "\(answer)")
      try there.act(2, #"{"write":"kept"}"#)
      try there.next(#"{"t":"patch","rev":3,"base":2,"n":2,"#)
    }
  }

  /// A store that takes longer than a request may: whether the action was done is not known, and it is asked again.
  @Test func actionThatIsNotAnsweredInTime_isAskedAgain_andDoneOnce() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with([Logbook.app()], on: store, { $0.timeouts.bodySeconds = 1 }) { host in
      try await blocking {
        let client = try TwinClient(host.url)
        _ = try client.create(#"{"app":"logbook"}"#)
        host.store.hold(true)
        let late = try client.act(#""1""#, Self.write("a"))
        #expect(late.isProblem(503) && late.headers["Retry-After"] == "1" && late.headers["Connection"] == "close")
        #expect(late.body.contains("The session has not answered."))
        host.store.hold(false)
        let again = try TwinClient(host.url, like: client)
        #expect(try again.act(#""1""#, Self.write("a")).body == #"{"rev":2,"n":1,"nacks":[]}"#)
        #expect(try again.view().body.contains(#""lines":["a"]"#))
      }
    }
  }

  /// Whoever sends the next request has read the answer to the one before: its refusals are not kept.
  @Test func request_acknowledgesTheRefusalsBeforeIt() async throws {
    try await withServer { url in
      try await blocking {
        let client = try TwinClient(url)
        let made = try client.create(#"{"app":"logbook"}"#).body
        let wrong = #"{"to":"","a":"explode"}"#
        #expect(try client.act(#""1""#, "[\(wrong),\(wrong)]").body.contains(#"[{"n":1,"#))
        #expect(try client.act(#""3""#, wrong).body.contains(#""nacks":[{"n":3,"#))
        var reader = JSONReader()
        guard case .welcome(let welcome) = try ServerMessage(reader.read(made).root) else {
          throw PlainClient.Unexpected(text: made)
        }
        let back = try PlainClient(url, saying: PlainClient.resume(welcome, attempt: 1))
        try back.greet()
        #expect(try back.welcome.nackNumbers == [3] && back.welcome.number == 3)
      }
    }
  }
}
