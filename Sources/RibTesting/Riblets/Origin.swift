import Testing

/// A line of a test, and what it does.
struct Origin {
  /// As the test has it: `send(.increment)`.
  let text: String
  let location: SourceLocation

  /// For a failure's text.
  var description: String { "\(text) at \(location.fileName):\(location.line)" }
}

extension SourceLocation {
  fileprivate var fileName: String { fileID.split(separator: "/").last.map(String.init) ?? fileID }
}
