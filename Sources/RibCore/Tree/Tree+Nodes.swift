import Wire

/// What nodes report to the tree while a transaction runs.
extension Tree {
  func didTouch(_ node: AnyNode) { transaction.touched.append(node) }

  /// Schedules the reconciliation of a node's children on all of its routes; a node without routes has nothing to
  /// reconcile.
  func unsettle(_ node: AnyNode) {
    for route in node.attachments { unsettle(node, on: route) }
  }

  /// Schedules the reconciliation of a node's children on one route; for nil, the children are only told their props.
  func unsettle(_ node: AnyNode, on route: AnyAttachments?) {
    route?.isStale = true
    guard !node.isUnsettled else { return }
    node.isUnsettled = true
    transaction.unsettled.append(node)
  }

  func enqueue(for node: AnyNode, _ action: @escaping (Tree) -> Void) { transaction.queue.append((node, action)) }

  /// Notes that parts of a node belong in the next cut.
  func noteChange(_ node: AnyNode, _ parts: NodeParts) {
    guard notesChanges, !parts.isEmpty else { return }
    if node.uncut.isEmpty { uncut.nodes.append(node) }
    node.uncut.formUnion(parts)
  }

  /// Counts an action, a report or an effect that came too late.
  func drop() { droppedActions += 1 }

  /// Reports an event to the observer; without an observer the event is not even made.
  func note(_ event: () -> TreeEvent) {
    if let observer { observer(event()) }
  }

  func attachRoot(_ saved: NodeSnapshot?) {
    let node = makeNode(saved, makeRoot)
    root = node
    didAttach(node, isActive: true, saved.flatMap { $0.id == node.id ? $0 : nil })
  }

  func attach(
    at place: NodePlace, isActive: Bool, _ make: (NodeBirth) throws(RestoreFailure) -> AnyNode
  ) -> AnyNode {
    let saved = restoration?.take(place)
    let node = makeNode(saved, make)
    didAttach(node, isActive: isActive, saved.flatMap { $0.id == node.id ? $0 : nil })
    return node
  }

  /// Whether the tree is being restored, and the snapshot has a node at this place that was not taken yet.
  func wasSaved(at place: @autoclosure () -> NodePlace) -> Bool { restoration?.contains(place()) ?? false }

  /// Makes a node from its snapshot; if there is none, or the node cannot be restored, makes a new one under a new id.
  private func makeNode(_ saved: NodeSnapshot?, _ make: (NodeBirth) throws(RestoreFailure) -> AnyNode) -> AnyNode {
    if let saved {
      restoration?.willRestore?(saved)
      do throws(RestoreFailure) {
        let node = try make(NodeBirth(id: saved.id, saved: saved))
        restoration?.didRestore(saved)
        return node
      } catch {
        restoration?.didFail(error)
      }
    }
    lastID += 1
    do throws(RestoreFailure) {
      return try make(NodeBirth(id: lastID, saved: nil))
    } catch {
      preconditionFailure("a node that was not saved has nothing to restore: \(error)")
    }
  }

  private func didAttach(_ node: AnyNode, isActive: Bool, _ saved: NodeSnapshot?) {
    nodes[node.id] = node
    node.isNew = true
    if notesChanges { node.stateWriter = node.makeStateWriter() }
    transaction.attached.append(node)
    note { .attached(id: node.id, type: node.typeName, parent: node.parent?.id) }
    recorder?.note(node)
    if let visitor, visitor.wants(ObjectIdentifier(type(of: node))) { node.accept(visitor) }
    node.touch(self)
    unsettle(node)
    if isActive {
      node.activate(restoring: saved?.effects, in: self)
    } else {
      node.updateProps(in: self)
      if let saved { node.didRestore(saved.effects, in: self) }
    }
  }

  func didDetach(_ node: AnyNode) {
    nodes[node.id] = nil
    transaction.detached.append(node)
    note { .detached(id: node.id, type: node.typeName) }
  }

  func startEffect(
    of node: AnyNode, _ id: EffectID?, _ key: IdempotencyKey?, _ rest: EffectRest, sequence: Int?,
    _ work: @escaping @Sendable (RunningEffect, EffectTally, _ port: @escaping EffectPort) async throws -> Void
  ) -> RunningEffect {
    lastToken += 1
    transaction.effects += 1
    let key =
      key ?? IdempotencyKey(session: session, transaction: transactionCount + 1, ordinal: transaction.effects)
    let effect = RunningEffect(
      token: EffectToken(number: lastToken), id: id, key: key, rest: rest, sequence: sequence)
    running[effect.token] = node
    transaction.startedTokens.append(effect.token)
    note { .effectStarted(token: effect.token, type: node.typeName, id: id) }
    let tally = EffectTally(isWork: !rest.isResumable)
    let start = EffectStart(token: effect.token, id: id, key: key, tally: tally, typeName: node.typeName) { port in
      try await work(effect, tally, port)
    }
    transaction.commands.append(.start(start))
    return effect
  }

  /// Has the transaction rolled back; if there are several reasons, the first counts.
  func refuse(_ reason: String) { refuse(Refusal(.refused, reason)) }

  /// Has the transaction rolled back; of several refusals the first counts.
  func refuse(_ refusal: Refusal) {
    if transaction.refusal == nil { transaction.refusal = refusal }
  }

  func publish(_ announcement: Announcement) { transaction.commands.append(.publish(announcement)) }

  func cancelEffect(_ effect: RunningEffect, of node: AnyNode) {
    let token = effect.token
    guard running.removeValue(forKey: token) != nil else { return }
    note { .effectEnded(token: token, type: node.typeName, id: effect.id) }
    // Only an effect that this transaction has started can be among its commands.
    let started =
      token.number <= transaction.lastToken
      ? nil
      : transaction.commands.firstIndex { command in
        if case .start(let start) = command { start.token == token } else { false }
      }
    if let started {
      transaction.commands.remove(at: started)
    } else {
      transaction.endedTokens.append((token, node))
      transaction.commands.append(.cancel(token))
    }
  }
}
