import InMemoryTracing
import Testing
import Tracing
import WireHTTP

@testable import RibServer

@Suite struct SessionTracerTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// Remembers what an extractor shows of a request.
  private struct Fields: InstrumentationContextKey {
    typealias Value = [String: String]
  }

  /// Looks at three fields.
  private struct LookingTracer: Tracer {
    let tracer = InMemoryTracer()

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
      context[Fields.self] = Dictionary(
        uniqueKeysWithValues: ["traceparent", "tracestate", "baggage"].compactMap { key in
          extractor.extract(key: key, from: carrier).map { (key, $0) }
        })
    }
  }

  private func seen(of headers: HeaderFields) -> [String: String]? {
    SessionTracer(LookingTracer())?.context(of: headers)[Fields.self]
  }

  /// What the W3C has defined, a tracer sees only if it is right; what others have defined is theirs to judge.
  @Test func tracer_seesWhatIsRight() {
    #expect(
      seen(of: ["traceparent": Self.parent, "tracestate": "a=1", "TraceState": "b=2", "baggage": "x"])
        == ["traceparent": Self.parent, "tracestate": "a=1,b=2", "baggage": "x"])
    #expect(seen(of: ["traceparent": Self.parent, "tracestate": "a"]) == ["traceparent": Self.parent])
    #expect(seen(of: ["traceparent": "00-x", "tracestate": "a=1", "baggage": "x"]) == ["baggage": "x"])
    #expect(seen(of: ["tracestate": "a=1"]) == [:])
  }
}
