import CurlTransport
import Logging
import RibTestSupport
import Testing
import Wire
import WireHTTP

@testable import RibServer

@Suite struct RequestTraceTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let parent = "00-\(trace)-00f067aa0ba902b7-01"

  @Test func requestWithoutATrace_hasNone() {
    #expect(RequestTrace.find(in: [:], nil) == nil)
    #expect(RequestTrace.find(in: ["tracestate": "a=1"], nil) == nil)
    #expect(RequestTrace.find(in: ["traceparent": "00-\(Self.trace)"], nil)?.traceID == nil)
    #expect(RequestTrace.find(in: ["traceparent": Self.parent, "Traceparent": Self.parent], nil) == nil)
    #expect(RequestTrace.find(in: ["traceparent": Self.parent], nil)?.traceID == Self.trace)
    // A later version may add something, but no client has memory here for as much as it likes.
    let later = "01" + Self.parent.dropFirst(2) + "-"
    let filler = String(repeating: "a", count: 128 - later.utf8.count)
    #expect(RequestTrace.find(in: ["traceparent": later + filler], nil)?.traceID == Self.trace)
    #expect(RequestTrace.find(in: ["traceparent": later + filler + "a"], nil) == nil)
  }

  /// Lines of the log about a connection or a request say which trace of another program they belong to; no tracer is needed for it.
  @Test func trace_isInTheLog() async throws {
    let log = CollectedLog()
    try await withServer(logger: log.logger) { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url, headers: ["traceparent": Self.parent])
        try socket.send(#"{"t":"hello","app":"counter"}"#)
        try socket.send(PlainClient.act(1, #""no such action""#))
        while let text = try socket.text(), !text.contains(#"{"t":"nack""#) {}
        try socket.send(#"{"t":"no such message"}"#)
        while try socket.text() != nil {}

        let twin = try TwinClient(url)
        _ = try twin.create()
        let fields = ["Riblet-Token: \(twin.token)", #"Idempotency-Key: "1""#]
        for traced in [["traceparent: \(Self.parent)"], []] {
          let answer = try twin.ask(
            "POST", "/v1/sessions/\(twin.sessionID)/actions", #"{"to":1,"a":"no such action"}"#,
            headers: fields + traced)
          #expect(answer.status == 200)
        }
        _ = try twin.ask("GET", "/v1/sessions/x/view", headers: ["traceparent: \(Self.parent)"])
        _ = try twin.ask("GET", "/v1/sessions/x/view", headers: ["traceparent: \(Self.parent)x"])
      }
    }
    let traces = { (message: String) in log.all.filter { $0.message == message }.map { $0["trace_id"] } }
    // The repetition of the request is only answered.
    #expect(traces("An action was refused.") == [Self.trace, Self.trace])
    #expect(traces("A session has started.") == [Self.trace, nil])
    #expect(traces("A client is put out.") == [Self.trace])
    #expect(traces("A request was refused.") == [Self.trace, nil])
  }

  /// An operator sees at `info` why a client was put out that does not come back, and where it came from.
  @Test func clientThatIsPutOut_isSaid() async throws {
    let log = CollectedLog()
    try await withServer(logger: log.logger) { _, url in
      try await blocking {
        let client = try PlainClient(url, app: "counter")
        try client.send(#"{"t":"\#(String(repeating: "x", count: 5000))"}"#)
        #expect(try client.end() == "bad_message 4400")
      }
    }
    let line = try #require(log.all.first { $0.message == "A client is put out." })
    #expect(line.level == .info && line["code"] == "4400" && line["address"] == "127.0.0.1")
    #expect((line["reason"]?.utf8.count ?? .max) <= 203)
  }
}
