import Tracing
import WireHTTP

/// The trace that a request belongs to, or the connection that was made of it: it was begun by another program.
final class RequestTrace: Sendable {
  /// The trace's name in lines of the log: 32 hexadecimal digits; nil if the request names its trace otherwise than the W3C has it.
  let traceID: String?
  /// What the program's tracer knows of the trace; empty without a tracer.
  let context: ServiceContext

  private init(_ traceID: String?, _ context: ServiceContext) {
    self.traceID = traceID
    self.context = context
  }

  /// The trace that a request names.
  ///
  /// What is not as the W3C has it is ignored.
  ///
  /// - Parameters:
  ///   - headers: the request's.
  ///   - tracer: the program's; nil if it has none.
  /// - Returns: nil if the request names none; that takes no memory.
  static func find(in headers: HeaderFields, _ tracer: SessionTracer?) -> RequestTrace? {
    let traceID = TraceParent(of: headers)?.traceID
    guard traceID != nil || tracer != nil else { return nil }
    let context = tracer?.context(of: headers) ?? .topLevel
    return traceID == nil && context.isEmpty ? nil : RequestTrace(traceID, context)
  }
}
