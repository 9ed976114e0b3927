import Tracing
import WireHTTP

/// The trace that a request belongs to, or the connection that was made of it: it was begun by another program.
///
/// The request's field is read for a line of the log alone: most requests have none. Without a tracer a request that names a trace takes no
/// memory beyond that of the field, which is short.
struct RequestTrace: Sendable {
  /// The longest value that is kept, in bytes: those of version 00 have 55, and what a later one adds is as short (W3C Trace Context §3.2.4).
  private static let longest = 128

  /// The value of the request's field `traceparent`, whatever it is; nil if there is none, more than one, or one that is too long.
  private let parent: String?
  /// The tracer's context of the trace; empty without a tracer.
  let context: ServiceContext

  /// The trace's name in lines of the log: 32 hexadecimal digits; nil if the request names its trace otherwise than the W3C has it.
  var traceID: String? { parent.flatMap { TraceParent($0) }?.traceID }

  /// The trace that a request names.
  ///
  /// A field that is not as the W3C has it is ignored.
  ///
  /// - Parameters:
  ///   - headers: the request's.
  ///   - tracer: the program's; nil if it has none.
  /// - Returns: nil if the request has no such field, and the tracer finds nothing.
  static func find(in headers: HeaderFields, _ tracer: SessionTracer?) -> RequestTrace? {
    let parent = headers.only("traceparent").flatMap { $0.utf8.count <= longest ? $0 : nil }
    let context = tracer?.context(of: headers) ?? .topLevel
    return parent == nil && context.isEmpty ? nil : RequestTrace(parent: parent, context: context)
  }
}
