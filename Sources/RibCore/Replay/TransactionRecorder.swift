package import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes a tree's transactions as the lines of a recording.
package final class TransactionRecorder {
  /// The client whose action comes next; reset after its transaction.
  package var client: RecordedTransaction.Client?

  /// The greatest number of bytes of memory that are kept for the next line.
  private static let largestKept = 4096

  private let header: SessionRecording.Header
  private let write: ([UInt8]) -> Void
  private let tape = DrawTape()
  private var event: RecordedTransaction.Event?
  /// The client's action, if the event is one: what may be recorded of it is known once it was decoded.
  private var action: TracedAction?
  /// The node classes that were searched for secrets.
  private var classes: Set<ObjectIdentifier> = []
  /// Whether a riblet of the session takes secrets, or may: true for a restored session, whose former riblets are not known.
  private var takesSecrets = false
  private var hasBegun = false
  private var json = JSONWriter()

  /// A recorder.
  ///
  /// - Parameters:
  ///   - header: written before the first transaction.
  ///   - write: takes a whole line, with its end.
  package init(_ header: SessionRecording.Header, write: @escaping ([UInt8]) -> Void) {
    self.header = header
    self.write = write
  }

  /// Notes which event the next transaction handles.
  func begin(_ event: RecordedTransaction.Event) {
    if case .restore = event { takesSecrets = true }
    self.event = event
  }

  /// Notes that the next transaction handles a client's action.
  ///
  /// - Returns: a copy to decode in place of the action, which notes where secrets are, so that the line has none.
  func begin(_ action: JSONElement, to address: NodeAddress) -> JSONElement {
    let traced = TracedAction(action)
    self.action = traced
    event = .act(client, to: address, action: "null")
    return traced.element
  }

  /// Notes a node that was attached: once one takes secrets, any action may hold one, sent to the wrong node by mistake.
  func note(_ node: AnyNode) {
    guard !takesSecrets, classes.insert(ObjectIdentifier(type(of: node))).inserted else { return }
    takesSecrets = node.secret != .absent
  }

  /// Runs a transaction and writes it as a line.
  func record(
    _ tree: Tree, _ renderer: ViewRenderer, _ body: () throws(Refusal) -> [EffectCommand]
  ) throws(Refusal) -> [EffectCommand] {
    let (result, draws) = tape.record { () -> Result<[EffectCommand], Refusal> in Result(catching: body) }
    switch result {
    case .success: end(draws, outcome(tree, renderer), number: tree.transactionCount)
    case .failure(let refusal): end(draws, .refused(refusal.code, refusal.message), number: nil)
    }
    return try result.get()
  }

  /// Writes a line for an event that causes no transaction.
  func note(_ event: RecordedTransaction.Event) {
    begin(event)
    end([], .nothing, number: nil)
  }

  private func outcome(_ tree: Tree, _ renderer: ViewRenderer) -> RecordedTransaction.Outcome {
    json.removeAll()
    switch event {
    case .start, .restore:
      // Cannot fail: the view was encoded a moment ago.
      guard (try? tree.writeView(into: &json, rendering: renderer)) != nil else { return .nothing }
      return .view(String(decoding: json.bytes, as: UTF8.self))
    default: return .patch("[\(String(decoding: renderer.patch.json.bytes, as: UTF8.self))]")
    }
  }

  private func end(_ draws: [RecordedTransaction.Draw], _ outcome: RecordedTransaction.Outcome, number: UInt64?) {
    defer {
      event = nil
      action = nil
      client = nil
    }
    guard var event else { return }
    if let action, case .act(let client, let address, _) = event {
      event = .act(client, to: address, action: takesSecrets ? action.recorded : action.source)
    }
    json.removeAll()
    if !hasBegun {
      header.write(into: &json)
      finishLine()
    }
    hasBegun = true
    let time = Int(Date().timeIntervalSince1970 * 1000)
    RecordedTransaction(number: number, time: time, event: event, draws: draws, outcome: outcome).write(into: &json)
    finishLine()
  }

  private func finishLine() {
    write(json.bytes + [UInt8(ascii: "\n")])
    // A view may be long and a server may have many sessions, so a large buffer is not kept.
    if json.count > Self.largestKept { json = JSONWriter() } else { json.removeAll() }
  }
}

// MARK: What a recording has of nodes

extension AnyNode {
  /// One of the node's effects, as a recording identifies it.
  final func recorded(_ effect: RunningEffect) -> RecordedTransaction.Effect {
    .init(node: id, type: typeName, key: effect.key.description, id: effect.id?.description)
  }

  /// What one of the node's effects has sent, as an event of a recording; nil if the effect does not run.
  final func recorded(_ report: any Sendable, by token: EffectToken) -> RecordedTransaction.Event? {
    effects.first { $0.token == token }.map { .report(recorded($0), recorded(report: report)) }
  }
}

extension Send.Report {
  /// The report in the form in which a recording keeps it.
  var recorded: RecordedTransaction.Report {
    switch self {
    case .action(let action): Self.text(action).map { .action($0) } ?? Self.opaque(action)
    case .output(let output): Self.text(output).map { .output($0) } ?? Self.opaque(output)
    }
  }

  private static func text(_ value: Any) -> String? {
    guard let value = value as? any Encodable, let json = try? StateCoder.encode(value) else {
      return nil
    }
    return String(decoding: json, as: UTF8.self)
  }

  private static func opaque(_ value: Any) -> RecordedTransaction.Report { .opaque(String("\(value)".prefix(512))) }

  /// Reads a recorded report.
  ///
  /// - Throws: ``ReplayError/opaque(_:_:_:)`` or ``ReplayError/undecodable(_:_:_:)``.
  init(_ recorded: RecordedTransaction.Report, of typeName: String) throws(ReplayError) {
    switch recorded {
    case .action(let text): self = .action(try Self.read(text, "InternalAction", typeName))
    case .output(let text): self = .output(try Self.read(text, "Output", typeName))
    case .opaque(let text): throw .opaque(typeName, text)
    }
  }

  private static func read<Value>(_ text: String, _ name: String, _ typeName: String) throws(ReplayError) -> Value {
    guard let type = Value.self as? any Decodable.Type else { throw .opaque(typeName, text) }
    do {
      if let value = try StateCoder.decode(type, from: try StateCoder.read(text)) as? Value { return value }
    } catch {
      throw .undecodable(typeName, name, "\(error)")
    }
    throw .undecodable(typeName, name, text)
  }
}
