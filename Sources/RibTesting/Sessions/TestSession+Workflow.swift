public import RibCore
import Synchronization
public import Testing

extension TestSession {
  /// Walks through the tree from its root.
  ///
  /// - Parameters:
  ///   - root: the type of the riblet at the root.
  ///   - sourceLocation: where the test is.
  ///   - whileWaiting: called each time the walk waits for a child that is not there: to act as a client would, or to run
  ///     an effect. The child has to be there then.
  ///   - walk: the walk.
  /// - Throws: what the walk throws; ``WalkIsStuck`` if it waits in vain.
  public func walk<Root: Riblet>(
    from root: Root.Type, sourceLocation: SourceLocation = #_sourceLocation,
    whileWaiting: (TestSession) throws -> Void = { _ in },
    _ walk: @escaping @Sendable (NodeHandle<Root>) async throws -> Void
  ) async throws {
    let (requests, port) = AsyncStream.makeStream(of: WorkflowRequest.self)
    let reply = PendingReply()
    let start = NodeHandle<Root>(id: rootID) { request in
      try await withCheckedThrowingContinuation { continuation in
        reply.wait(with: continuation)
        port.yield(request)
      }
    }
    let task = Task {
      defer { port.finish() }
      try await walk(start)
    }
    let origin = Origin(text: "walk(from: \(Root.self))", location: sourceLocation)
    try await withTaskCancellationHandler {
      for await request in requests {
        reply.resume(
          with: Result {
            if let node = try perform(request, origin) { return node }
            try whileWaiting(self)
            if let node = try perform(request, origin) { return node }
            throw WalkIsStuck(typeName: request.waitsFor, node: request.node)
          })
      }
      try await task.value
    } onCancel: {
      task.cancel()
      reply.cancel()
    }
  }
}

/// The walk that waits for the answer to its step; there is one at a time.
private final class PendingReply: Sendable {
  private let state = Mutex<(continuation: CheckedContinuation<NodeID, any Error>?, isCancelled: Bool)>((nil, false))

  func wait(with continuation: CheckedContinuation<NodeID, any Error>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  func resume(with result: Result<NodeID, any Error>) { take()?.resume(with: result) }

  /// Nobody answers any more.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    take()?.resume(throwing: CancellationError())
  }

  private func take() -> CheckedContinuation<NodeID, any Error>? {
    state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
  }
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
