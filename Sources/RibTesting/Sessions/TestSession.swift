public import RibCore
public import Testing
public import Wire

/// Drives a tree in a test, as a session does on a server: synchronously, with the view and its patches at hand.
///
/// Effects start only when the test runs them or, with ``EffectPolicy/running``, at once, on the test's own thread, as far as
/// they get without the time that only a ``ManualClock`` lets pass.
///
/// After each transaction it makes sure of what no test has to say: that a client's view is, to the byte, what the server
/// would send to a new client; that no riblet would show anything else if it were asked once more; and that each state that was
/// changed comes back as it was when it is saved and restored. What is large is checked at the end.
public final class TestSession {
  /// What becomes of effects.
  public enum EffectPolicy: Sendable {
    /// They wait in ``pendingEffects`` until the test runs them, one by one.
    case held
    /// They run at once, on a ``ManualExecutor``.
    case running
  }

  /// The tree.
  public let tree: Tree
  /// The view document: the first snapshot with every patch since applied to it.
  ///
  /// It is looked at, as all else here, once every effect has gone on as far as it can.
  public var view: JSONValue {
    settle()
    return document
  }
  /// The operations of the last transaction.
  public var lastPatch: [PatchOperation] {
    settle()
    return operations
  }
  /// Effects that were started and not yet run, in order.
  public internal(set) var pendingEffects: [EffectStart] = []
  /// Effects that were cancelled after they had been started, in order.
  public private(set) var cancelledEffects: [EffectToken] = []

  /// What became of the snapshot's nodes, if the tree was restored from one.
  public private(set) var restoreReport: RestoreReport?

  /// Whether every state has to come back as it was when it is saved and restored: true, unless a riblet leaves something
  /// out of its state's coding on purpose.
  public var checksStates = true

  /// Whether riblets are asked for their views once more after each transaction; not where a test counts how often they are.
  package var asksViewsAgain = true

  var document: JSONValue = .null
  /// The last transaction, if it left a view that is too large to be compared after each.
  var uncomparedTransaction: UInt64?
  /// Nodes that have changed since their states were saved and restored.
  var uncheckedNodes: Set<NodeID> = []
  /// The types of riblets whose states were said not to come back: once is enough.
  var lossyTypes: Set<String> = []
  private var events: [TreeEvent] = []
  private var operations: [PatchOperation] = []
  /// The message of the last patch.
  private(set) var patchMessage = #"{"ops":[]}"#.utf8.map { $0 }
  private let renderer = ViewRenderer()
  private var reader = JSONReader()
  /// Nil if effects are held.
  let runner: EffectRunner?
  /// What the test is doing, for what is started by it.
  var origin: Origin
  /// Told of an effect that has thrown something else than its cancellation.
  var onEffectFailure: (EffectFlight, any Error) -> Void = { flight, error in
    Issue.record(Comment(rawValue: Failure.thrown(flight, error)), sourceLocation: flight.origin.location)
  }
  /// Told when a reducer has refused what came of an effect.
  var onEffectRefusal: (EffectFlight, Refusal) -> Void = { flight, refusal in
    Issue.record(Comment(rawValue: Failure.refusedReport(flight, refusal)), sourceLocation: flight.origin.location)
  }

  /// Starts a tree.
  ///
  /// - Parameters:
  ///   - root: the riblet at its root.
  ///   - effects: what becomes of its effects.
  ///   - sourceLocation: where the test is.
  /// - Throws: `Refusal` if it cannot be started.
  public convenience init<Root: Riblet>(
    _ root: Root, effects: EffectPolicy = .held, sourceLocation: SourceLocation = #_sourceLocation
  ) throws where Root.Output == Never, Root.Props == Never {
    self.init(Tree(root: root), effects, Origin(text: "TestSession(…)", location: sourceLocation))
    try start()
  }

  /// Restores a tree from a snapshot.
  ///
  /// - Parameters:
  ///   - root: the riblet at its root.
  ///   - snapshot: what was saved.
  ///   - effects: what becomes of its effects.
  ///   - sourceLocation: where the test is.
  /// - Throws: `RestoreError` if it cannot be restored.
  public convenience init<Root: Riblet>(
    _ root: Root, restoring snapshot: TreeSnapshot, effects: EffectPolicy = .held,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws where Root.Output == Never, Root.Props == Never {
    self.init(Tree(root: root), effects, Origin(text: "TestSession(…, restoring: …)", location: sourceLocation))
    try restore(snapshot)
  }

  init(_ tree: Tree, _ effects: EffectPolicy, _ origin: Origin) {
    self.tree = tree
    self.origin = origin
    runner = effects == .running ? EffectRunner() : nil
    tree.notesChanges = true
    tree.observer = { [weak self] in self?.events.append($0) }
    tree.onEnd = { [weak self] isCommitted in
      if isCommitted, let self { uncheckedNodes.formUnion(self.tree.touchedNodes) }
    }
    runner?.deliver = { [unowned self] in arrived($0) }
    runner?.onOverflow = { [unowned self] flights in
      Issue.record(Comment(rawValue: Failure.overflow(flights.last)), sourceLocation: self.origin.location)
      for flight in flights { endEffect(flight.effect.token) }
    }
  }

  deinit {
    checkWhatIsLeft()
    // Whatever still runs comes to its end elsewhere.
    runner?.retire()
  }

  func start() throws(any Error) {
    let commands = try tree.start(rendering: renderer)
    document = try snapshot()
    checkExactness()
    note(commands)
    settle()
  }

  func restore(_ snapshot: TreeSnapshot) throws {
    let (commands, report) = try tree.restore(snapshot, rendering: renderer)
    restoreReport = report
    document = try self.snapshot()
    checkExactness()
    note(commands)
    settle()
  }

  /// Takes what a running effect has to say.
  private func arrived(_ message: EffectMessage) {
    var sender: EffectFlight?
    do {
      switch message {
      case .report(let report, let flight):
        sender = flight
        try deliver(report)
      case .ended(let flight, let failure):
        sender = flight
        if let failure, !(failure is CancellationError) { onEffectFailure(flight, failure) }
        try end(flight.effect.token, hasFailed: failure != nil)
      }
    } catch {
      if let sender, let refusal = error as? Refusal, refusal.code == .refused {
        return onEffectRefusal(sender, refusal)
      }
      Issue.record(Comment(rawValue: Failure.refused(error, "what an effect sent")), sourceLocation: origin.location)
    }
  }

  /// Begins what the test does next: all that was under way comes first.
  private func begin(_ text: String, _ location: SourceLocation) {
    settle()
    runner?.forgetArrivals()
    origin = Origin(text: text, location: location)
  }

  /// Sends a view action as a client does.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - address: of its node; the root unless given.
  ///   - sourceLocation: where the test is.
  /// - Throws: `Refusal`, `JSONError`, or `PatchError` if the patch does not fit the view.
  public func act(
    _ action: String, to address: NodeAddress = .path(""), sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    begin("act(\(action))", sourceLocation)
    try finish(try tree.perform(try reader.read(action).root, for: address, rendering: renderer))
  }

  /// Sends a view action as a client does.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - path: where its node is: `detail/inner`, `pages[1]`.
  ///   - sourceLocation: where the test is.
  /// - Throws: `Refusal`, `JSONError`, or `PatchError` if the patch does not fit the view.
  public func act(_ action: String, at path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try act(action, to: .path(path), sourceLocation: sourceLocation)
  }

  /// Sends a view action that needs no decoding.
  func act<R: Riblet>(_ action: R.ViewAction, to id: NodeID, of type: R.Type, _ origin: Origin) throws {
    begin(origin.text, origin.location)
    try finish(try tree.perform(action, for: id, of: type, rendering: renderer))
  }

  /// Hands a report to the tree.
  ///
  /// - Parameter report: from an effect.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  public func deliver(_ report: EffectReport) throws {
    let before = tree.transactionCount
    let commands = try tree.receive(report, rendering: renderer)
    // What comes too late is dropped, and is no transaction.
    if tree.transactionCount != before { try finish(commands) }
  }

  /// Tells the tree that an effect has ended; what waited for it begins.
  ///
  /// - Parameters:
  ///   - token: of the effect.
  ///   - hasFailed: whether it has thrown.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  public func end(_ token: EffectToken, hasFailed: Bool = false) throws {
    let before = tree.transactionCount
    let commands = try tree.effectEnded(token, hasFailed: hasFailed, rendering: renderer)
    // Mostly nothing follows, and it is no transaction.
    if tree.transactionCount != before { try finish(commands) }
  }

  /// Leaves a node as its renderer's back button does.
  ///
  /// - Parameters:
  ///   - address: the node; the root unless given.
  ///   - sourceLocation: where the test is.
  /// - Returns: whether there was anything to leave.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  @discardableResult
  public func back(
    from address: NodeAddress = .path(""), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Bool {
    begin("back()", sourceLocation)
    let (isLeft, commands) = try tree.back(from: address, rendering: renderer)
    try finish(commands)
    return isLeft
  }

  /// Lets the whole tree rest, or go on, as a session does.
  ///
  /// - Parameters:
  ///   - isActive: whether it is active.
  ///   - sourceLocation: where the test is.
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  public func setActive(_ isActive: Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
    begin("setActive(\(isActive))", sourceLocation)
    try finish(try tree.setActive(isActive, rendering: renderer))
  }

  /// Has the root told its props anew, in a tree that was made for a test of that riblet alone.
  func updateProps(_ origin: Origin) throws {
    begin(origin.text, origin.location)
    try finish(try tree.updateProps(rendering: renderer))
  }

  /// Does a step of a walk.
  ///
  /// - Returns: the node that was asked for; nil if it is not there yet.
  func perform(_ request: WorkflowRequest, _ origin: Origin) throws -> NodeID? {
    begin(origin.text, origin.location)
    guard case .node(let id, let commands) = try tree.answer(request, rendering: renderer) else { return nil }
    if !commands.isEmpty || renderer.patch.count > 0 { try finish(commands) }
    return id
  }

  /// What has happened in the tree since it was last asked for, or since the session was made: nodes attached and detached,
  /// effects started and ended, the end of each transaction.
  ///
  /// - Returns: the events, in order.
  public func takeEvents() -> [TreeEvent] {
    settle()
    defer { events = [] }
    return events
  }

  /// The id of the root.
  var rootID: NodeID { tree.rootID }

  /// Runs a recorded transaction; its effects do not run.
  ///
  /// - Returns: what became of it.
  /// - Throws: `ReplayError`, or `PatchError` if the patch does not fit the view.
  func replay(_ transaction: RecordedTransaction) throws -> Replayed {
    operations = []
    let replayed = try tree.replay(transaction, rendering: renderer)
    guard replayed.refusal == nil else { return replayed }
    switch transaction.event {
    case .start, .restore: document = try snapshot()
    default: try applyPatch()
    }
    note(replayed.commands)
    return replayed
  }

  /// Stops the tree.
  public func stop() {
    checkWhatIsLeft()
    note(tree.stop())
  }

  /// The view document as the server would send it now.
  ///
  /// - Returns: the document.
  /// - Throws: `RecordingError` or `JSONError`.
  public func snapshot() throws -> JSONValue {
    var json = JSONWriter()
    try tree.writeView(into: &json, rendering: renderer)
    return JSONValue(try reader.read(json.bytes.span).root)
  }

  /// The view document as it would be if every riblet were asked for its view once more.
  func snapshotAskedAgain() throws -> JSONValue {
    var json = JSONWriter()
    try tree.writeViewAskedAgain(into: &json, rendering: renderer)
    return JSONValue(try reader.read(json.bytes.span).root)
  }

  private func note(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let effect):
        if let runner { runner.start(effect, from: origin) } else { pendingEffects.append(effect) }
      case .cancel(let token):
        runner?.cancel(token)
        pendingEffects.removeAll { $0.token == token }
        cancelledEffects.append(token)
      case .publish(let publish): publish()
      }
    }
  }

  /// Does what a transaction asks for.
  private func finish(_ commands: [EffectCommand]) throws {
    try applyPatch()
    note(commands)
    settle()
  }

  private func applyPatch() throws {
    var json = JSONWriter()
    let operations = renderer.patch.json.bytes
    json.patch(revision: 1, base: 0, number: 0, operations: operations.span)
    guard case .patch(_, _, _, let operations, _) = try ServerMessage(try reader.read(json.bytes.span).root) else {
      return
    }
    self.operations = operations
    patchMessage = json.bytes
    try document.apply(operations)
    checkExactness()
  }
}
