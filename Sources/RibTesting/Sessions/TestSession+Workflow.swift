public import RibCore

extension TestSession {
  /// Walks through the tree from its root.
  ///
  /// - Parameters:
  ///   - root: the type of the riblet at the root.
  ///   - whileWaiting: called each time the walk waits for a child that is not there: to act as a client would, or to run
  ///     an effect. The child has to be there then.
  ///   - walk: the walk.
  /// - Throws: what the walk throws; ``WalkIsStuck`` if it waits in vain.
  public func walk<Root: Riblet>(
    from root: Root.Type, whileWaiting: (TestSession) throws -> Void = { _ in },
    _ walk: @escaping @Sendable (NodeHandle<Root>) async throws -> Void
  ) async throws {
    let (requests, port) = AsyncStream.makeStream(of: PendingStep.self)
    let start = NodeHandle<Root>(id: rootID) { request in
      try await withCheckedThrowingContinuation { port.yield(PendingStep(request: request, reply: $0)) }
    }
    let task = Task {
      defer { port.finish() }
      try await walk(start)
    }
    for await step in requests {
      do {
        if try answer(step) { continue }
        try whileWaiting(self)
        if try !answer(step) { throw WalkIsStuck(typeName: step.request.waitsFor, node: step.request.node) }
      } catch {
        step.reply.resume(throwing: error)
      }
    }
    try await task.value
  }

  /// Does a step, if it can be done.
  private func answer(_ step: PendingStep) throws -> Bool {
    guard let node = try perform(step.request) else { return false }
    step.reply.resume(returning: node)
    return true
  }
}

/// A walk's step, and the walk that waits for it.
private struct PendingStep: Sendable {
  let request: WorkflowRequest
  let reply: CheckedContinuation<NodeID, any Error>
}

/// A walk waits for a child that does not come.
public struct WalkIsStuck: Error, Equatable, CustomStringConvertible {
  /// The type of the child.
  public let typeName: String
  /// The node below which it should be.
  public let node: NodeID

  /// What is missing, and what to look for.
  public var description: String {
    """
    The walk waits for an active \(typeName) below node \(node), and nothing attached one: change the state in a step \
    before, or let `whileWaiting` do what the walk is to wait for.
    """
  }
}
