public import RibCore
public import Testing
public import Wire

extension TestSession {
  /// What clients see of a node.
  ///
  /// - Parameter path: where it is: `detail/inner`, `pages[1]`; the root unless given.
  /// - Returns: its view state; nil if there is no such node, or it has no view.
  public func viewState(at path: String = "") -> JSONValue? { node(at: path)?["state"] }

  /// The children that clients see on a route.
  ///
  /// - Parameters:
  ///   - route: the route's name.
  ///   - path: where its node is; the root unless given.
  /// - Returns: their ids; nil for one that is not attached yet.
  public func children(on route: String, at path: String = "") -> [NodeID?] {
    guard case .array(let ids)? = node(at: path)?["children"]?[route]?["ids"] else { return [] }
    return ids.map { if case .integer(let id) = $0 { NodeID(id) } else { nil } }
  }

  private func node(at path: String) -> JSONValue? {
    tree.id(at: path).flatMap { view["nodes"]?["\($0)"] }
  }

  /// Saves the session as JSON, restores it, and makes sure that a client sees the same.
  ///
  /// - Parameters:
  ///   - root: the riblet at its root, made anew.
  ///   - effects: what becomes of the restored session's effects.
  ///   - sourceLocation: where the test is.
  /// - Returns: the restored session.
  /// - Throws: `RecordingError` if it cannot be saved, `RestoreError` if it cannot be restored.
  public func restored<Root: Riblet>(
    as root: Root, effects: EffectPolicy = .held, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TestSession where Root.Output == Never {
    let json = String(decoding: try StateCoder.encode(try tree.snapshot()), as: UTF8.self)
    let saved = try StateCoder.decode(TreeSnapshot.self, from: try StateCoder.read(json))
    let restored = try TestSession(
      root, restoring: saved, effects: effects, sourceLocation: sourceLocation)
    guard restored.view != view else { return restored }
    let lost = restored.restoreReport?.lost.map { "  - \($0)" }.joined(separator: "\n") ?? ""
    let text = Failure.difference(
      "The restored session shows something else. \(lost.isEmpty ? "Is a property left out of a state's coding?" : lost)",
      expected: view, actual: restored.view)
    Issue.record(
      Comment(rawValue: text),
      sourceLocation: sourceLocation)
    return restored
  }
}
