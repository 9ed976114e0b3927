public import RibCore
public import Testing
public import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SessionRecording {
  /// Reads a recording from a file that a server has written.
  ///
  /// - Throws: `SessionRecordingError` if the file is not a recording, or the system's error if it cannot be read.
  public init(contentsOf path: String) throws {
    try self.init(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
  }
}

extension TestSession {
  /// Replays a recording from a server, and fails at the first transaction with a different outcome.
  ///
  /// Actions of clients and reports of effects come from the recording; no effects run. The riblets have to take time
  /// and randomness from `Dependencies.live`, as on the server: in a replay these return what the recording has. Where
  /// the session came back into memory, it is restored here as well.
  ///
  ///     let recording = try SessionRecording(contentsOf: "5d1cf1a0e5a5a0a4.jsonl")
  ///     try TestSession.replay(recording, root: Dice(dependencies: .live))
  ///
  /// Patches may differ from the recorded ones as long as the resulting view is the same.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - root: makes the root riblet as the app does; evaluated for each life of the session in memory.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Returns: the session after the last transaction, or after the one whose outcome differs.
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

  /// Replays a transaction.
  ///
  /// - Parameters:
  ///   - transaction: from a recording.
  ///   - recorded: the recorded view before the transaction, which becomes the one after it.
  /// - Returns: how the outcome differs from the recorded one, in words; nil if it does not.
  private func difference(from transaction: RecordedTransaction, _ recorded: inout JSONValue) -> String? {
    do {
      try transaction.apply(to: &recorded)
      let replayed = try replay(transaction)
      if let name = replayed.missingDraw { return Failure.undrawn(name) }
      return difference(transaction.outcome, replayed.refusal, recorded)
    } catch let error as ReplayError {
      // The effect does not run in this version, and it would only have ended: nothing is lost.
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
  /// The transaction in words, for a failure's text.
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
