import CurlTransport
import RibClient
import RibServer
import Testing
import Wire

/// Clients that do what they may not.
extension ResumeTests {
  @Test func resyncStorm_isEnded() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let texts = try Self.exchange(
          url, #"{"t":"hello","app":"ticker"}"#,
          "[\(Array(repeating: #"{"t":"resync"}"#, count: 7).joined(separator: ","))]")
        #expect(texts.last?.contains(#""code":"bad_message""#) == true)
        #expect(texts.last?.contains("More than six resyncs") == true)
        // Those that were allowed were answered; of several at once one view is enough.
        #expect((2...7).contains(texts.count { $0.hasPrefix(#"{"t":"snap""#) }))
      }
    }
  }

  /// Of actions, and of the view.
  @Test(arguments: [
    #"{"t":"ack","rev":1,"n":1}"#, #"{"t":"ack","rev":2,"n":0}"#,
    #"{"t":"act","n":1,"to":1,"a":"add","ack":{"rev":1,"n":1}}"#,
  ])
  func acknowledgementOfTheFuture_isNoMessage(_ ack: String) async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let texts = try Self.exchange(url, #"{"t":"hello","app":"ticker"}"#, ack)
        #expect(texts.count == 3 && texts[2].contains(#""code":"bad_message""#) && texts[2].contains("not there yet"))
      }
    }
  }

  /// Each token opens its own session, and there its own client, and nothing else.
  @Test func tokenOfAnotherSession_opensNothing() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let mine = try CurlClient(url: url, app: "ticker")
        let other = try CurlClient(url: url, app: "ticker")
        let (welcome, token) = (try #require(mine.session.welcome), try #require(other.session.welcome).token)
        _ = try Self.add(mine)
        let refused = try Self.exchange(url, Self.hello(welcome, token: token, attempt: 1))
        #expect(refused.count == 1 && refused[0].contains(#""code":"denied""#))
        let guest = try CurlClient(url: url, joining: mine.shareToken())
        let guestToken = try #require(guest.session.welcome).token
        let wrong = try Self.exchange(url, Self.hello(welcome, token: guestToken, attempt: 1))
        #expect(wrong.count == 1 && wrong[0].contains(#""code":"denied""#))
        // Nobody has taken anything from who is there.
        _ = try Self.add(mine)
        #expect(Self.count(mine) == "2")
      }
    }
  }
}
