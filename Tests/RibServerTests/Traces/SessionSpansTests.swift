import CurlTransport
import InMemoryTracing
import RibCore
import RibTestSupport
import Testing
import Tracing
import Wire
import WireHTTP

@testable import RibServer

/// Spans of sessions, over real sockets.
@Suite struct SessionSpansTests {
  /// Does something outside, and counts what came of it.
  private struct Errand: Riblet {
    static let typeName = "Errand"
    enum ViewAction: Decodable { case count, run(String), refuse, fail }
    enum InternalAction { case done }
    struct Failure: Error {}

    func makeState() -> Int { 0 }

    func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .count: count += 1
      case .run: return .run { send in await send(.done) }
      case .refuse: return .refuse("Not today.")
      case .fail: return .run { _ in throw Failure() }
      }
      return .none
    }

    func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> {
      count += 10
      // The effect's reports belong to the effect.
      return count < 30 ? .run { send in if ServiceContext.current?.isEmpty != false { await send(.done) } } : .none
    }

    func view(_ count: Int) -> Int { count }
  }

  private let directory: TemporaryDirectory
  private let tracer = InMemoryTracer()

  init() throws { directory = try TemporaryDirectory() }

  /// Runs a body against a server that was made while a tracer was chosen.
  private func withTracedServer(_ body: @escaping @Sendable (_ url: String) throws -> Void) async throws {
    let path = directory.path
    try await withTracer(W3CTracer(tracer: tracer)) {
      try await withServer(
        apps: [App("errand") { Errand() }],
        {
          $0.store = .sqlite
          $0.stateDirectory = path
        }
      ) { _, url in try await blocking { try body(url) } }
    }
  }

  private func spans(_ name: String) -> [FinishedInMemorySpan] {
    tracer.finishedSpans.filter { $0.operationName == name }
  }

  private func attribute(_ name: String, of span: FinishedInMemorySpan) -> String? {
    if case .string(let text)? = span.attributes.get(name) { text } else { nil }
  }

  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let parent = "00-\(trace)-00f067aa0ba902b7-01"

  @Test func action_isATraceOfItsOwn_linkedToItsConnection_withItsCommitAndItsEffects() async throws {
    try await withTracedServer { url in
      let socket = try CurlWebSocket(url: url, headers: ["traceparent": Self.parent])
      try socket.send(#"{"t":"hello","app":"errand"}"#)
      try socket.send(PlainClient.act(1, #"{"run":"a secret"}"#))
      while let text = try socket.text(), !text.contains(#""value":10"#) {}
    }
    #expect(await eventually { tracer.activeSpans.isEmpty })
    let action = try #require(spans("riblet.action").first)
    #expect(spans("riblet.action").count == 1)
    #expect(action.parentSpanID == nil && action.traceID != Self.trace && action.kind == .server)
    #expect(action.links.map { $0.context.inMemorySpanContext?.traceID } == [Self.trace])
    #expect(attribute("riblet.app", of: action) == "errand" && attribute("riblet.type", of: action) == "Errand")
    #expect(attribute("riblet.action", of: action) == "run")
    #expect(attribute("riblet.session", of: action)?.count == 32)

    let effects = spans("riblet.effect").filter { $0.traceID == action.traceID }
    let first = try #require(effects.first { $0.parentSpanID == action.spanID })
    #expect(attribute("riblet.type", of: first) == "Errand" && first.status == nil)
    // The effect's report has begun another effect.
    #expect(effects.contains { $0.parentSpanID == first.spanID })
    let commits = spans("riblet.commit")
    #expect(commits.contains { $0.parentSpanID == action.spanID && $0.status == nil })
    #expect(commits.contains { $0.parentSpanID == first.spanID })
    // Nothing that a client has said is in a span.
    for span in tracer.finishedSpans {
      span.attributes.forEach { name, value in #expect(!"\(value)".contains("a secret"), "\(name)") }
    }
  }

  @Test func actionOfARequest_belongsToTheRequest() async throws {
    try await withTracedServer { url in
      let twin = try TwinClient(url)
      _ = try twin.create(#"{"app":"errand"}"#)
      let answer = try twin.ask(
        "POST", "/v1/sessions/\(twin.sessionID)/actions", #"[{"to":1,"a":"count"},{"to":1,"a":"refuse"}]"#,
        headers: ["Riblet-Token: \(twin.token)", #"Idempotency-Key: "1""#, "traceparent: \(Self.parent)"])
      #expect(answer.status == 200)
      // Its trace was of that request alone.
      #expect(try twin.act(#""3""#, #"{"to":1,"a":"count"}"#).status == 200)
    }
    let actions = spans("riblet.action")
    #expect(actions.map(\.traceID).prefix(2) == [Self.trace, Self.trace])
    #expect(actions.count == 3 && actions.last?.traceID != Self.trace)
    #expect(actions.allSatisfy { $0.links.isEmpty })
    #expect(actions.map { attribute("riblet.action", of: $0) } == ["count", "refuse", "count"])
    #expect(actions.map { attribute("riblet.refusal", of: $0) } == [nil, "refused", nil])
    #expect(actions.prefix(2).allSatisfy { $0.parentSpanID == "00f067aa0ba902b7" })
  }

  @Test func effectThatThrows_hasAnError_withoutWhatTheErrorSays() async throws {
    try await withTracedServer { url in
      let client = try PlainClient(url, app: "errand")
      try client.act(1, #""fail""#)
      try client.act(2, #""count""#)
      _ = try client.all(until: #"{"t":"patch""#)
    }
    #expect(await eventually { !spans("riblet.effect").isEmpty })
    let effect = try #require(spans("riblet.effect").first)
    #expect(effect.status == SpanStatus(code: .error, message: "Failure"))
    #expect(effect.errors.isEmpty)
  }

  /// A name of no riblet, or of no case of its actions, is not repeated.
  @Test func nonsense_isNotRepeated() async throws {
    try await withTracedServer { url in
      let client = try PlainClient(url, app: "errand")
      try client.act(1, #""a secret""#)
      try client.next(#"{"t":"nack","n":1,"#)
      try client.act(2, #""count""#, to: "99")
      try client.next(#"{"t":"nack","n":2,"#)
    }
    let actions = spans("riblet.action")
    #expect(actions.map { attribute("riblet.action", of: $0) } == [nil, nil])
    #expect(actions.map { attribute("riblet.type", of: $0) } == ["Errand", nil])
    #expect(actions.map { attribute("riblet.refusal", of: $0) } == ["bad_action", "gone"])
  }

  /// A server that was made before there was a tracer makes no spans, and one with the tracer that does nothing neither.
  @Test func withoutATracer_thereAreNoSpans() async throws {
    #expect(SessionTracer(NoOpTracer()) == nil)
    let tracer = tracer
    try await withServer { server, url in
      #expect(server.context.tracer == nil)
      try await withTracer(tracer) {
        try await blocking {
          let client = try PlainClient(url, app: "counter")
          try client.act(1, #""increment""#)
          try client.next(#"{"t":"patch""#)
        }
      }
    }
    #expect(tracer.finishedSpans.isEmpty && tracer.activeSpans.isEmpty)
  }
}

/// A tracer whose traces come from requests as the W3C has it.
struct W3CTracer: Tracer {
  let tracer: InMemoryTracer

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> InMemorySpan {
    tracer.startSpan(
      operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line)
  }

  func forceFlush() {}

  func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Carrier == Inject.Carrier {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Carrier == Extract.Carrier {
    let parts = (extractor.extract(key: "traceparent", from: carrier) ?? "").split(separator: "-")
    guard parts.count == 4 else { return }
    context.inMemorySpanContext = InMemorySpanContext(
      traceID: String(parts[1]), spanID: String(parts[2]), parentSpanID: nil)
  }
}
