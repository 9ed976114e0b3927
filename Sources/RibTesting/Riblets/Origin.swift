import Testing

/// A line of a test and the call on it, to which a failure refers.
struct Origin {
  /// The call as the test has it, such as `send(.increment)`.
  let text: String
  let location: SourceLocation

  /// The call and its line, for a failure's text.
  var description: String { "\(text) at \(location.fileName):\(location.line)" }
}

extension SourceLocation {
  fileprivate var fileName: String { fileID.split(separator: "/").last.map(String.init) ?? fileID }
}
