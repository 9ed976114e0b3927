public import RibCore
public import Testing
public import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SessionRecording {
  /// Reads a recording that a server has written.
  ///
  /// - Parameter path: the file.
  /// - Throws: `SessionRecordingError` if it is none, and what the system says if it cannot be read.
  public init(contentsOf path: String) throws {
    try self.init(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
  }
}

extension TestSession {
  /// Runs what a server has recorded, and fails at the first transaction that goes another way than it did then.
  ///
  /// Clients' actions and what effects have sent come as they came; effects are not run. The riblets are to take time and
  /// randomness from `Dependencies.live`, as on the server: in a replay it gives them again what they got. Each time that
  /// the session came back into memory, it does so here.
  ///
  ///     let recording = try SessionRecording(contentsOf: "5d1cf1a0e5a5a0a4.jsonl")
  ///     try TestSession.replay(recording, root: Dice(dependencies: .live))
  ///
  /// Patches need not be the same, as long as the view is.
  ///
  /// - Parameters:
  ///   - recording: from a server.
  ///   - root: the riblet at the root, as the app makes it; made for each life of the session in memory.
  ///   - sourceLocation: where the test is.
  /// - Returns: the session after the last transaction, or after the one that went another way.
  /// - Throws: what `root` throws.
  @discardableResult
  public static func replay<Root: Riblet>(
    _ recording: SessionRecording, root: @autoclosure () throws -> Root,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TestSession where Root.Output == Never, Root.Props == Never {
    var last: TestSession?
    for life in recording.lives {
      let origin = Origin(text: "replay(…)", location: sourceLocation)
      let session = TestSession(Tree(root: try root(), session: life.header.session), .held, origin)
      last = session
      var recorded = JSONValue.null
      for entry in life.entries {
        guard let difference = session.difference(from: entry.transaction, &recorded) else { continue }
        let text = "Line \(entry.line) of the recording, \(entry.transaction.name):\n\n\(difference)"
        Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
        return session
      }
    }
    guard let last else { preconditionFailure("a recording has at least one life") }
    return last
  }

  /// Runs a transaction.
  ///
  /// - Parameters:
  ///   - transaction: from a recording.
  ///   - recorded: the view as the recording has it, before and after.
  /// - Returns: what goes another way than it did then, in words; nil if nothing does.
  private func difference(from transaction: RecordedTransaction, _ recorded: inout JSONValue) -> String? {
    do {
      try transaction.apply(to: &recorded)
      let replayed = try replay(transaction)
      if let name = replayed.missingDraw { return Failure.undrawn(name) }
      return difference(transaction.outcome, replayed.refusal, recorded)
    } catch let error as ReplayError {
      // An effect that does not run any more, and would only have ended, is nobody's loss.
      if case .nothing = transaction.outcome, case .ended = transaction.event { return nil }
      return "\(error)"
    } catch {
      return "It cannot be replayed: \(error)"
    }
  }

  private func difference(
    _ outcome: RecordedTransaction.Outcome, _ refusal: Refusal?, _ recorded: JSONValue
  ) -> String? {
    switch (outcome, refusal) {
    case (.refused(let code, _), let refusal?) where code == refusal.code: return nil
    case (.refused(let code, let message), let refusal?):
      return "It was refused as \(code.rawValue) (\(message)), and is as \(refusal.code.rawValue): \(refusal.message)"
    case (.refused(let code, let message), nil):
      return "It was refused as \(code.rawValue) (\(message)), and is applied now."
    case (_, let refusal?):
      return "It was applied, and is refused as \(refusal.code.rawValue) now: \(refusal.message)"
    case (.nothing, nil): return nil
    case (.view, nil), (.patch, nil):
      guard view != recorded else { return nil }
      return Failure.difference(
        "The view is another than it was then.", expected: recorded.lines, actual: view.lines)
    }
  }
}

extension RecordedTransaction {
  /// What it is, for a failure.
  fileprivate var name: String {
    let what =
      switch event {
      case .start: "the start"
      case .restore: "the return into memory"
      case .act(let client, let address, let action):
        "\(client.map { "client \($0.id)'s action \($0.number), " } ?? "an action, ")\(action) to \(address)"
      case .back(_, let address): "a step back from \(address)"
      case .setActive(let isActive): "setActive(\(isActive))"
      case .report(let effect, let report): "\(report.text) from \(effect.text)"
      case .ended(let effect, _): "the end of \(effect.text)"
      case .walk(let node, let type): "a step of a walk at \(type) \(node)"
      }
    return number.map { "transaction \($0), \(what)" } ?? what
  }
}

extension RecordedTransaction.Effect {
  fileprivate var text: String { "the effect \(id ?? "without a name") of \(type) \(node)" }
}

extension RecordedTransaction.Report {
  fileprivate var text: String {
    switch self {
    case .action(let text), .opaque(let text): text
    case .output(let text): "the output \(text)"
    }
  }
}
