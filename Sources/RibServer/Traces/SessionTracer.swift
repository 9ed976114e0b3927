import Tracing
import WireHTTP

/// The tracer that the program has chosen, for spans of what sessions do.
struct SessionTracer: Sendable {
  private let tracer: any Tracer

  /// The tracer that the program has chosen by now; nil if it has chosen none.
  ///
  /// - Parameter tracer: another one.
  init?(_ tracer: any Tracer = InstrumentationSystem.tracer) {
    if tracer is NoOpTracer { return nil }
    self.tracer = tracer
  }

  /// The context that the tracer finds in a request's fields.
  ///
  /// - Parameter headers: the request's; of what the W3C has defined it sees only what is right.
  /// - Returns: empty if it finds nothing.
  func context(of headers: HeaderFields) -> ServiceContext {
    var context = ServiceContext.topLevel
    tracer.extract(headers, into: &context, using: HeaderExtractor())
    return context
  }

  /// Begins a span.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - context: its parent's, or an empty one.
  ///   - kind: what it is to other programs.
  ///   - attributes: what is known of it.
  ///   - links: the contexts of spans that it goes back to as well.
  /// - Returns: the span.
  func begin(
    _ name: String, in context: ServiceContext, _ kind: SpanKind, _ attributes: SpanAttributes,
    linkedTo links: some Sequence<ServiceContext> = EmptyCollection()
  ) -> any Tracing.Span {
    let span = tracer.startSpan(name, context: context, ofKind: kind)
    span.attributes = attributes
    for link in links where !link.isEmpty { span.addLink(SpanLink(context: link, attributes: [:])) }
    return span
  }
}

/// Shows a tracer the fields of a request.
private struct HeaderExtractor: Extractor {
  func extract(key: String, from headers: HeaderFields) -> String? {
    switch key.lowercased() {
    case "traceparent": TraceParent(of: headers) == nil ? nil : headers["traceparent"]
    // §4.3: without a parent that is right nobody looks at it.
    case "tracestate": TraceParent(of: headers) == nil ? nil : TraceState(of: headers)?.text
    default: headers[key]
    }
  }
}
