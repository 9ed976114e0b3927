/// Why a value cannot be part of a view.
public struct RecordingError: Error, Sendable, CustomStringConvertible {
  /// Keys and indices that lead to the culprit.
  public private(set) var path: [String]
  /// What is wrong with it.
  public let reason: String

  /// An error.
  ///
  /// - Parameters:
  ///   - reason: what is wrong.
  ///   - path: keys and indices that lead there from the value that is being written.
  public init(_ reason: String, path: [String] = []) {
    self.reason = reason
    self.path = path
  }

  /// What another error says about the value being recorded.
  init(_ error: any Error) {
    switch error {
    case let error as RecordingError: self = error
    case EncodingError.invalidValue(_, let context):
      self.init(context.debugDescription, path: context.codingPath.map(\.stringValue))
    default: self.init("\(error)")
    }
  }

  /// The error, as seen from one level above.
  ///
  /// - Parameter key: the key or index of the value that was being written.
  /// - Returns: the error with the longer path.
  package func below(_ key: String) -> RecordingError {
    var error = self
    error.path.insert(key, at: 0)
    return error
  }

  /// One sentence for a log.
  public var description: String {
    path.isEmpty ? reason : "\(path.joined(separator: ".")): \(reason)"
  }
}

/// Puts `key` before the path of an error that `body` throws.
func locating(
  _ key: @autoclosure () -> String, _ body: () throws(RecordingError) -> Void
) throws(RecordingError) {
  do throws(RecordingError) {
    try body()
  } catch {
    throw error.below(key())
  }
}
