import Wire

/// A recording as lines of text.
enum ReplayText {
  /// The view after a transaction; the last of that number, if a server was killed before it was committed.
  ///
  /// - Returns: nil if there is no such transaction.
  static func view(of recording: SessionRecording, after number: UInt64) throws -> JSONValue? {
    var found: JSONValue?
    for life in recording.lives {
      var view = JSONValue.null
      for entry in life.entries {
        try apply(entry, to: &view)
        if entry.transaction.number == number { found = view }
      }
    }
    return found
  }

  /// Shows each transaction, what it changed, and the view after it.
  static func render(_ recording: SessionRecording, _ say: (String) -> Void) throws {
    for life in recording.lives {
      let parameters = life.header.parameters.map { " \($0)" } ?? ""
      say("session \(life.header.session) of \(life.header.app)\(parameters), RibServer \(life.header.build)".visible)
      var view = JSONValue.null
      for entry in life.entries {
        let before = view
        try apply(entry, to: &view)
        for line in lines(of: entry.transaction) { say(line.visible) }
        if view != before { say(indented(ViewText.render(view))) }
      }
    }
  }

  private static func apply(_ entry: SessionRecording.Entry, to view: inout JSONValue) throws {
    do {
      try entry.transaction.apply(to: &view)
    } catch {
      throw SessionRecordingError.malformed(line: entry.line, reason: "\(error)")
    }
  }

  /// What came, what was drawn, and the operations.
  static func lines(of transaction: RecordedTransaction) -> [String] {
    let number = transaction.number.map { "\($0)" } ?? "-"
    var lines = ["\(number) \(text(of: transaction.event))"]
    for draw in transaction.draws { lines.append("  drew \(draw.name): \(draw.value)") }
    switch transaction.outcome {
    case .nothing, .view: break
    case .refused(let code, let message): lines.append("  refused: \(message) (\(code.rawValue))")
    case .patch(let text):
      guard let patch = try? StateCoder.read(text) else { break }
      for operation in patch.elements { lines.append("  \(Self.text(of: operation))") }
    }
    return lines
  }

  private static func text(of event: RecordedTransaction.Event) -> String {
    switch event {
    case .start: return "start"
    case .restore: return "restore"
    case .act(let client, let address, let action): return "act\(text(of: client)) on \(address): \(action)"
    case .back(let client, let address): return "back\(text(of: client)) from \(address)"
    case .setActive(let isActive): return isActive ? "activate" : "deactivate"
    case .report(let effect, let report):
      let text =
        switch report {
        case .action(let text), .opaque(let text): text
        case .output(let text): "output \(text)"
        }
      return "report of \(Self.text(of: effect)): \(text)"
    case .ended(let effect, let hasFailed): return "\(hasFailed ? "failure" : "end") of \(text(of: effect))"
    case .walk(let node, let type): return "walk at \(type) #\(node)"
    }
  }

  private static func text(of client: RecordedTransaction.Client?) -> String {
    client.map { " \($0.number) of client \($0.id)" } ?? ""
  }

  private static func text(of effect: RecordedTransaction.Effect) -> String {
    "effect \(effect.id ?? "without a name") of \(effect.type) #\(effect.node)"
  }

  private static func text(of operation: JSONElement) -> String {
    var words = [operation["op"]?.string ?? "?", operation["path"]?.string ?? "?"]
    if let from = operation["from"]?.string { words.append("from \(from)") }
    if let value = operation["value"] { words.append(value.source) }
    return words.joined(separator: " ")
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n")
  }
}
