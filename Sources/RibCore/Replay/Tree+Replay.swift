package import Wire

/// The outcome of a recorded transaction in a replay.
package struct Replayed {
  /// Effects to start and to cancel; a replay runs no effects.
  package var commands: [EffectCommand] = []
  /// Why the transaction was rolled back; nil if it was not.
  package var refusal: Refusal?
  /// The name of the first draw that the recording does not have; nil if it has all.
  package var missingDraw: String?
}

/// Why a recording cannot be replayed beyond a transaction.
package enum ReplayError: Error, Equatable, CustomStringConvertible {
  /// The recording describes what an effect has sent in words only: the riblet's type name, and the words.
  case opaque(String, String)
  /// What an effect has sent does not decode: the riblet's type name, the type that was expected, and the reason.
  case undecodable(String, String, String)
  /// A walk has changed a node: its id and its type name.
  case walk(Int, String)
  /// The node runs no such effect.
  case noEffect(RecordedTransaction.Effect)
  /// There is no node with the effect's node id.
  case noNode(RecordedTransaction.Effect)
  /// The snapshot does not decode, for this reason.
  case badSnapshot(String)
  /// A start that is not the first event, or another event before the start.
  case outOfOrder

  /// What is missing, and what to do.
  package var description: String {
    switch self {
    case .opaque(let type, let text):
      """
      An effect of \(type) has sent \(text), which the recording has in words only. Make the InternalAction of \(type) \
      Codable (or its Output, if that is what the effect sends), and record again.
      """
    case .undecodable(let type, let name, let reason):
      "What an effect of \(type) has sent is no \(name) of \(type) any more: \(reason)"
    case .walk(let node, let type):
      """
      A walk has changed \(type) \(node) here. That is code, which a recording does not have: record a session that is not \
      started with a deep link.
      """
    case .noEffect(let effect):
      "\(effect.type) \(effect.node) does not run the effect \(effect.id ?? "without a name") that has sent something."
    case .noNode(let effect):
      "There is no node \(effect.node), a \(effect.type), whose effect \(effect.id ?? "without a name") has sent something."
    case .badSnapshot(let reason): "The snapshot that the session came back from is damaged: \(reason)"
    case .outOfOrder: "A session starts once, and before all else."
    }
  }
}

extension Tree {
  /// Runs a recorded transaction: its event happens again, and its reducers draw the same values.
  ///
  /// - Parameters:
  ///   - transaction: from a recording.
  ///   - renderer: has the patch afterwards; no patch after a start.
  /// - Returns: the outcome, which the caller compares with the recorded one.
  /// - Throws: ``ReplayError`` if the transaction cannot be run.
  package func replay(
    _ transaction: RecordedTransaction, rendering renderer: ViewRenderer
  ) throws(ReplayError) -> Replayed {
    let event = try prepare(transaction.event)
    let (result, missing) = DrawTape().replay(transaction.draws) { () -> Result<[EffectCommand], Refusal> in
      Result { () throws(Refusal) in try event(renderer) }
    }
    switch result {
    case .success(let commands): return Replayed(commands: commands, missingDraw: missing)
    case .failure(let refusal): return Replayed(refusal: refusal, missingDraw: missing)
    }
  }

  private typealias Run = (ViewRenderer) throws(Refusal) -> [EffectCommand]

  /// Finds what the event refers to, and returns a closure that runs the event.
  private func prepare(_ event: RecordedTransaction.Event) throws(ReplayError) -> Run {
    switch event {
    case .start, .restore: guard root == nil else { throw .outOfOrder }
    default: guard root != nil else { throw .outOfOrder }
    }
    switch event {
    case .start: return { renderer throws(Refusal) in try self.start(rendering: renderer) }
    case .restore(let text): return try restoration(of: text)
    case .act(let client, let address, let text):
      let action = try Self.json(text)
      let actor = ActingClient(client)
      return { renderer throws(Refusal) in try self.perform(action, for: address, by: actor, rendering: renderer) }
    case .back(_, let address):
      return { renderer throws(Refusal) in try self.back(from: address, rendering: renderer).commands }
    case .setActive(let isActive):
      return { renderer throws(Refusal) in try self.setActive(isActive, rendering: renderer) }
    case .report(let recorded, let content):
      let (node, effect) = try find(recorded)
      let content = try node.report(content)
      let report = EffectReport(token: effect.token, content: { content })
      return { renderer throws(Refusal) in try self.receive(report, rendering: renderer) }
    case .ended(let recorded, let hasFailed):
      let (_, effect) = try find(recorded)
      return { renderer throws(Refusal) in
        try self.effectEnded(effect.token, hasFailed: hasFailed, rendering: renderer)
      }
    case .walk(let node, let type): throw .walk(node, type)
    }
  }

  private func restoration(of text: String) throws(ReplayError) -> Run {
    let snapshot: TreeSnapshot
    do {
      snapshot = try StateCoder.decode(TreeSnapshot.self, from: try StateCoder.read(text))
    } catch {
      throw .badSnapshot("\(error)")
    }
    return { renderer throws(Refusal) in
      do throws(RestoreError) {
        return try self.restore(snapshot, rendering: renderer).commands
      } catch {
        if case .refused(let refusal) = error { throw refusal }
        throw Refusal(.failed, "\(error)")
      }
    }
  }

  private static func json(_ text: String) throws(ReplayError) -> JSONElement {
    do throws(JSONError) {
      return try StateCoder.read(text)
    } catch {
      throw .outOfOrder
    }
  }

  /// The effect that corresponds to a recorded one: the effect with the same idempotency key or, as a change of the
  /// code may have changed the keys, with the same name.
  ///
  /// A server's keys begin with a name that it draws for each life of the session, which a recording does not have. The numbers behind
  /// it are enough: no two effects of a session have the same.
  private func find(_ recorded: RecordedTransaction.Effect) throws(ReplayError) -> (AnyNode, RunningEffect) {
    guard let node = nodes[recorded.node] else { throw .noNode(recorded) }
    let key = IdempotencyKey(recorded.key)
    let effect =
      node.effects.first { $0.key.transaction == key?.transaction && $0.key.ordinal == key?.ordinal }
      ?? node.effects.first { $0.id != nil && $0.id?.description == recorded.id }
    guard let effect else { throw .noEffect(recorded) }
    return (node, effect)
  }
}

extension ActingClient {
  /// The client of a recorded action; the first client, without a person, if none was recorded.
  fileprivate init(_ recorded: RecordedTransaction.Client?) {
    self.init(
      id: recorded?.id ?? 1, subject: recorded?.subject, issuer: recorded?.issuer, roles: Set(recorded?.roles ?? []))
  }
}
