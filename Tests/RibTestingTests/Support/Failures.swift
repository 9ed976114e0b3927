import Testing

/// What assertions have to say that fail on purpose.
func failures(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) rethrows -> [String] {
  let box = FailureBox()
  try withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
    try body()
  } matching: { issue in
    box.texts += issue.comments.map(\.rawValue)
    return true
  }
  return box.texts
}

/// What assertions have to say that fail on purpose, after some time.
func failuresInTime(_ body: () async -> Void) async -> [String] {
  let box = FailureBox()
  await withKnownIssue(isIntermittent: true) {
    await body()
  } matching: { issue in
    box.texts += issue.comments.map(\.rawValue)
    return true
  }
  return box.texts
}

/// `@unchecked`: an assertion fails on the thread of its test.
private final class FailureBox: @unchecked Sendable {
  var texts: [String] = []
}
