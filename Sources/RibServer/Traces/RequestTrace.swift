import Tracing
import WireHTTP

/// The trace that a request belongs to, or the connection that was made of it: it was begun by another program.
final class RequestTrace: Sendable {
  /// The trace's name in lines of the log: 32 hexadecimal digits; nil if the request names its trace otherwise than the W3C has it.
  let traceID: String?
  /// What the program's tracer knows of the trace; empty without a tracer.
  let context: ServiceContext

  /// The trace that a request names; nil if it names none.
  ///
  /// What is not as the W3C has it is ignored.
  ///
  /// - Parameters:
  ///   - headers: the request's.
  ///   - tracer: the program's; nil if it has none.
  init?(of headers: HeaderFields, _ tracer: SessionTracer?) {
    traceID = TraceParent(of: headers)?.traceID
    context = tracer?.context(of: headers) ?? .topLevel
    if traceID == nil, context.isEmpty { return nil }
  }
}
