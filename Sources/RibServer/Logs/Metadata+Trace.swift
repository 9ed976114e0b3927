import Logging

extension Logger.Metadata {
  /// The same with the name of a trace.
  ///
  /// - Parameter trace: nil for none.
  /// - Returns: with `trace_id`, if the trace has a name.
  func tracing(_ trace: RequestTrace?) -> Logger.Metadata {
    guard let traceID = trace?.traceID else { return self }
    return merging(["trace_id": "\(traceID)"]) { $1 }
  }
}
