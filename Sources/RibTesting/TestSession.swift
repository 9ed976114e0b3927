public import RibCore
public import Wire

/// Drives a tree in a test, as a session does on a server: synchronously, with the view and its patches at hand, and with
/// effects that start only when the test runs them.
public final class TestSession {
  /// The tree.
  public let tree: Tree
  /// The view document: the first snapshot with every patch since applied to it.
  public private(set) var view: JSONValue = .null
  /// The operations of the last transaction.
  public private(set) var lastPatch: [PatchOperation] = []
  /// Effects that were started and not yet run, in order.
  public private(set) var pendingEffects: [EffectStart] = []
  /// Effects that were cancelled after they had been started, in order.
  public private(set) var cancelledEffects: [EffectToken] = []

  /// What became of the snapshot's nodes, if the tree was restored from one.
  public private(set) var restoreReport: RestoreReport?

  private let renderer = ViewRenderer()
  private var reader = JSONReader()

  /// Starts a tree.
  ///
  /// - Parameter root: the riblet at its root.
  /// - Throws: `Refusal` if it cannot be started.
  public init<Root: Riblet>(_ root: Root) throws where Root.Output == Never {
    tree = Tree(root: root)
    tree.notesChanges = true
    note(try tree.start(rendering: renderer))
    view = try snapshot()
  }

  /// Restores a tree from a snapshot.
  ///
  /// - Parameters:
  ///   - root: the riblet at its root.
  ///   - snapshot: what was saved.
  /// - Throws: `RestoreError` if it cannot be restored.
  public init<Root: Riblet>(_ root: Root, restoring snapshot: TreeSnapshot) throws where Root.Output == Never {
    tree = Tree(root: root)
    tree.notesChanges = true
    let (commands, report) = try tree.restore(snapshot, rendering: renderer)
    restoreReport = report
    note(commands)
    view = try self.snapshot()
  }

  /// Sends a view action as a client does.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - address: of its node; the root unless given.
  /// - Throws: `Refusal`, `JSONError`, or `PatchError` if the patch does not fit the view.
  public func act(_ action: String, to address: NodeAddress = .path("")) throws {
    note(try tree.perform(try reader.read(action).root, for: address, rendering: renderer))
    try applyPatch()
  }

  /// Runs the oldest pending effect to its end; what it sends is applied at once.
  ///
  /// - Throws: what the effect throws, after what it sent has been applied; `Refusal` and `PatchError` for what it sends.
  public func runNextEffect() async throws {
    guard !pendingEffects.isEmpty else { throw NoPendingEffect() }
    let effect = pendingEffects.removeFirst()
    let reports = ReportBox()
    var failure: (any Error)?
    do {
      try await effect.run { report in await reports.append(report) }
    } catch {
      failure = error
    }
    for report in await reports.content { try deliver(report) }
    try end(effect.token, hasFailed: failure != nil)
    if let failure { throw failure }
  }

  /// Runs the oldest pending effect but keeps what it sends, for ``deliver(_:)``.
  ///
  /// - Returns: what it sent, in order.
  /// - Throws: what the effect throws.
  public func reportsOfNextEffect() async throws -> [EffectReport] {
    guard !pendingEffects.isEmpty else { throw NoPendingEffect() }
    let effect = pendingEffects.removeFirst()
    let reports = ReportBox()
    try await effect.run { report in await reports.append(report) }
    return await reports.content
  }

  /// Hands a report to the tree.
  ///
  /// - Parameter report: from an effect.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  public func deliver(_ report: EffectReport) throws {
    note(try tree.receive(report, rendering: renderer))
    try applyPatch()
  }

  /// Tells the tree that an effect has ended; what waited for it begins.
  ///
  /// - Parameters:
  ///   - token: of the effect.
  ///   - hasFailed: whether it has thrown.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  public func end(_ token: EffectToken, hasFailed: Bool = false) throws {
    note(try tree.effectEnded(token, hasFailed: hasFailed, rendering: renderer))
    if renderer.patch.count > 0 { try applyPatch() }
  }

  /// Leaves a node as its renderer's back button does.
  ///
  /// - Parameter address: the node; the root unless given.
  /// - Returns: whether there was anything to leave.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  @discardableResult
  public func back(from address: NodeAddress = .path("")) throws -> Bool {
    let (isLeft, commands) = try tree.back(from: address, rendering: renderer)
    note(commands)
    try applyPatch()
    return isLeft
  }

  /// Lets the whole tree rest, or go on, as a session does.
  ///
  /// - Parameter isActive: whether it is active.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  public func setActive(_ isActive: Bool) throws {
    note(try tree.setActive(isActive, rendering: renderer))
    try applyPatch()
  }

  /// Does a step of a walk.
  ///
  /// - Returns: the node that was asked for; nil if it is not there yet.
  func perform(_ request: WorkflowRequest) throws -> NodeID? {
    guard case .node(let id, let commands) = try tree.answer(request, rendering: renderer) else { return nil }
    note(commands)
    if renderer.patch.count > 0 { try applyPatch() }
    return id
  }

  /// The id of the root.
  var rootID: NodeID { tree.rootID }

  /// Stops the tree.
  public func stop() { note(tree.stop()) }

  /// The view document as the server would send it now.
  ///
  /// - Returns: the document.
  /// - Throws: `RecordingError` or `JSONError`.
  public func snapshot() throws -> JSONValue {
    var json = JSONWriter()
    try tree.writeView(into: &json, rendering: renderer)
    return JSONValue(try reader.read(json.bytes.span).root)
  }

  private func note(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let effect): pendingEffects.append(effect)
      case .cancel(let token):
        pendingEffects.removeAll { $0.token == token }
        cancelledEffects.append(token)
      case .publish(let publish): publish()
      }
    }
  }

  private func applyPatch() throws {
    var json = JSONWriter()
    json.patch(revision: 1, base: 0, number: 0, operations: renderer.patch)
    guard case .patch(_, _, _, let operations) = try ServerMessage(try reader.read(json.bytes.span).root) else {
      return
    }
    lastPatch = operations
    try view.apply(operations)
  }
}

/// A test wanted an effect to run, and there is none.
public struct NoPendingEffect: Error, CustomStringConvertible {
  /// What is wrong, and what to look for.
  public var description: String {
    "No effect is pending: either no reducer returned .run, or its effect was run or cancelled already."
  }
}

/// Collects what an effect sends, wherever it runs.
private actor ReportBox {
  private(set) var content: [EffectReport] = []
  func append(_ report: EffectReport) { content.append(report) }
}
