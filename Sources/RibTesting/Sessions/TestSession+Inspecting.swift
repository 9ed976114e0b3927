public import RibCore
public import Testing
public import Wire

extension TestSession {
  /// The view state that clients have of a node; nil if there is no such node, or it has no view.
  ///
  /// - Parameter path: the node's place, such as `detail/inner` or `pages[1]`; the root unless given.
  /// - Returns: the node's `state` in the view document.
  public func viewState(at path: String = "") -> JSONValue? { node(at: path)?["state"] }

  /// The ids of the children that clients see on a route of a node, the root unless given; nil for a child that is not
  /// attached yet.
  public func children(on route: String, at path: String = "") -> [NodeID?] {
    guard case .array(let ids)? = node(at: path)?["children"]?[route]?["ids"] else { return [] }
    return ids.map { if case .integer(let id) = $0 { NodeID(id) } else { nil } }
  }

  private func node(at path: String) -> JSONValue? {
    settle()
    return tree.id(at: path).flatMap { view["nodes"]?["\($0)"] }
  }

  /// The tree as text: one line for each node, indented below its parent, with its place, type name and id, and whether
  /// it is inactive.
  ///
  ///     Search 1
  ///       detail[0] SearchDetail 2
  ///
  /// Nodes without a view are included.
  public var outline: String {
    settle()
    var lines: [String] = []
    func write(_ id: NodeID, _ place: String, _ depth: Int) {
      let indentation = String(repeating: "  ", count: depth)
      let rest = tree.isActive(at: .id(id)) == true ? "" : " (inactive)"
      lines.append("\(indentation)\(place)\(tree.typeName(at: .id(id)) ?? "?") \(id)\(rest)")
      for child in tree.children(of: id) {
        if let id = child.id {
          write(id, "\(child.place) ", depth + 1)
        } else {
          lines.append("\(indentation)  \(child.place) not attached yet")
        }
      }
    }
    write(rootID, "", 0)
    return lines.joined(separator: "\n")
  }

  /// Asserts the operations that clients were sent for the last transaction.
  ///
  /// - Parameters:
  ///   - expected: the operations as a JSON array; white space and the order of keys do not matter.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  public func expectPatch(_ expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
    settle()
    do {
      let expected = try JSONValue(parsing: expected)
      let message = try JSONValue(parsing: String(decoding: patchMessage, as: UTF8.self))
      let actual = message["ops"] ?? .null
      if expected == actual { return }
      fail(
        Failure.difference(
          "The patch is another than the test expects.", expected: expected.lines, actual: actual.lines),
        at: sourceLocation)
    } catch {
      fail("The expected patch is no JSON: \(error)", at: sourceLocation)
    }
  }

  /// Saves the session as JSON, restores it, and asserts that nothing is lost.
  ///
  /// Every state has to come back as it was, every node has to be there again, and a client has to see the same: a server does this
  /// each time that a session wakes, and sends clients the whole view if it is another one.
  ///
  /// - Parameters:
  ///   - root: the root riblet, made anew.
  ///   - effects: what becomes of the restored session's effects.
  ///   - showsTheSame: whether a client has to see the same; pass false if a riblet shows, for example, what was
  ///     interrupted.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Returns: the restored session.
  /// - Throws: `CaptureError` if the session cannot be saved, another error if it cannot be restored.
  public func restored<Root: Riblet>(
    as root: Root, effects: EffectPolicy = .held, showsTheSame: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TestSession where Root.Output == Never, Root.Props == Never {
    let snapshot = try self.saved()
    let json = String(decoding: try StateCoder.encode(snapshot), as: UTF8.self)
    let saved = try StateCoder.decode(TreeSnapshot.self, from: try StateCoder.read(json))
    // Also what the tree has done without the session; a loss that was reported is not reported again.
    checkWhatIsLeft()
    let restored = TestSession(
      Tree(root: root), effects, Origin(text: "restored(as: …)", location: sourceLocation))
    restored.checksStates = checksStates
    restored.lossyTypes = lossyTypes
    try restored.restore(saved)
    if let lost = restored.restoreReport?.lost, !lost.isEmpty {
      fail(Failure.lost(lost.map { "\($0)" }), at: sourceLocation)
    } else if lossyTypes.isEmpty, showsTheSame, restored.view != view {
      let text = Failure.difference(
        """
        The restored session shows something else. A client that stays connected while its session rests is sent the \
        whole view then, \(restored.view.text.utf8.count) bytes, and not only what has changed. If `didRestore` or \
        `didBecomeActive` is meant to show it, pass showsTheSame: false.
        """, expected: view.lines, actual: restored.view.lines)
      fail(text, at: sourceLocation)
    }
    return restored
  }

  private func fail(_ text: String, at location: SourceLocation) {
    Issue.record(Comment(rawValue: text), sourceLocation: location)
  }
}

extension JSONValue {
  /// The value as text of several lines, which a failure compares line by line.
  var lines: String {
    switch self {
    case .array(let values) where !values.isEmpty:
      "[\n\(values.map { "  \($0.indented)" }.joined(separator: ",\n"))\n]"
    case .object(let members) where !members.isEmpty:
      "{\n\(members.sorted { $0.key < $1.key }.map { "  \(JSONValue.string($0.key).text): \($0.value.indented)" }.joined(separator: ",\n"))\n}"
    default: text
    }
  }

  private var indented: String { lines.split(separator: "\n").joined(separator: "\n  ") }
}
