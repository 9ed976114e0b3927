/// Why a value cannot be captured: an `encode(to:)` has failed, or JSON cannot express what it encodes.
public struct CaptureError: Error, Sendable, CustomStringConvertible {
  /// The keys and indices that lead to the faulty value.
  public private(set) var path: [String]
  /// What is wrong with that value.
  public let reason: String

  /// An error.
  ///
  /// - Parameters:
  ///   - reason: what is wrong.
  ///   - path: the keys and indices that lead from the value being written to the faulty one.
  public init(_ reason: String, path: [String] = []) {
    self.reason = reason
    self.path = path
  }

  /// The error that another one, thrown while a value was captured, amounts to.
  init(_ error: any Error) {
    switch error {
    case let error as CaptureError: self = error
    case EncodingError.invalidValue(_, let context):
      self.init(context.debugDescription, path: context.codingPath.map(\.stringValue))
    default: self.init("\(error)")
    }
  }

  /// The same error as seen from one level above: the path then begins with this key or index.
  package func below(_ key: String) -> CaptureError {
    var error = self
    error.path.insert(key, at: 0)
    return error
  }

  /// One sentence for a log; of a long path it has both ends.
  public var description: String {
    guard !path.isEmpty else { return reason }
    let shown = path.count > 16 ? path.prefix(8) + ["…"] + path.suffix(4) : path[...]
    return "\(shown.joined(separator: ".")): \(reason)"
  }
}

/// Puts `key` before the path of an error that `body` throws.
func locating(
  _ key: @autoclosure () -> String, _ body: () throws(CaptureError) -> Void
) throws(CaptureError) {
  do throws(CaptureError) {
    try body()
  } catch {
    throw error.below(key())
  }
}
