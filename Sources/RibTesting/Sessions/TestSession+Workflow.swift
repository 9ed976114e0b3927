public import RibCore
import Synchronization
public import Testing

extension TestSession {
  /// Walks through the tree from its root.
  ///
  /// - Parameters:
  ///   - root: the type of the root riblet.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  ///   - whileWaiting: called each time the walk waits for a child that is not there: acts as a client would, or runs
  ///     an effect, so that the child is there afterwards.
  ///   - walk: the walk, beginning with the root.
  /// - Throws: what the walk throws; ``WalkIsStuck`` if a child is not there even after `whileWaiting`.
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

/// The answer that a walk waits for; a walk does one step at a time.
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

  /// Ends the present wait and all later ones with a `CancellationError`.
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

/// A walk waits for a child that is not attached.
public struct WalkIsStuck: Error, Equatable, CustomStringConvertible {
  /// The type name of the child.
  public let typeName: String
  /// The id of the node below which the child should be.
  public let node: NodeID

  /// What is missing, and what to look for.
  public var description: String {
    """
    The walk waits for an active \(typeName) below node \(node), and nothing attached one: change the state in a step \
    before, or let `whileWaiting` do what the walk is to wait for.
    """
  }
}
