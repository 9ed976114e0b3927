public import RibCore
public import Testing
public import Wire

/// Drives a tree in a test, as a session does on a server: synchronously, with the view and its patches at hand.
///
/// Effects start only when the test runs them. With ``EffectPolicy/running`` they start at once, on the test's own
/// thread, and go on as far as they can until only a ``ManualClock`` lets time pass.
///
/// After each transaction the session checks what no test needs to spell out: that a client with all patches applied
/// has, to the byte, the view that a new client would be sent; that no riblet shows anything else if it is asked once
/// more; that each changed state comes back as it was when it is saved and restored; and that no view state and no saved state has a `Secret`.
/// Large views and states are checked at the end only.
public final class TestSession {
  /// What becomes of the effects that reducers return.
  public enum EffectPolicy: Sendable {
    /// Effects wait in ``pendingEffects`` until the test runs them, one by one.
    case held
    /// Effects run at once, on a ``ManualExecutor``.
    case running
  }

  /// The tree.
  package let tree: Tree
  /// The view document of a client: the first snapshot with every patch since applied to it.
  ///
  /// Reading it first lets every effect go on as far as it can, as do the other properties.
  public var view: JSONValue {
    settle()
    return document
  }
  /// The operations of the last transaction.
  public var lastPatch: [PatchOperation] {
    settle()
    return operations
  }
  /// The effects that were started and not run yet, in order.
  public internal(set) var pendingEffects: [EffectStart] = []
  /// The effects that were cancelled after they had started, in order.
  package private(set) var cancelledEffects: [EffectToken] = []

  /// Which nodes of the snapshot were restored and which were lost; nil if the tree was not restored.
  package private(set) var restoreReport: RestoreReport?
  /// What was not restored of the snapshot: for each node that was lost, a sentence that has the reason.
  public var losses: [String] { restoreReport?.lost.map(\.description) ?? [] }

  /// Whether every state has to come back as it was when it is saved and restored.
  ///
  /// Set this to false if a riblet leaves something out of its state's coding on purpose.
  public var checksStates = true

  /// Whether riblets are asked for their views once more after each transaction; not where a test counts how often they are.
  package var asksViewsAgain = true

  var document: JSONValue = .null
  /// The number of the last transaction if it left a view too large to be compared then; nil otherwise.
  var uncomparedTransaction: UInt64?
  /// The nodes whose states have changed since they were last checked.
  var uncheckedNodes: Set<NodeID> = []
  /// The types of riblets whose states were reported not to come back; each is reported once.
  var lossyTypes: Set<String> = []
  private var events: [TreeEvent] = []
  private var operations: [PatchOperation] = []
  /// The message with the last patch, as a client would get it.
  private(set) var patchMessage = #"{"ops":[]}"#.utf8.map { $0 }
  private let renderer = ViewRenderer()
  private var reader = JSONReader()
  /// Runs the effects; nil if they are held.
  let runner: EffectRunner?
  /// The call of the test that is under way, to which effects that it starts refer.
  var origin: Origin
  /// Called when an effect has thrown an error that is not a `CancellationError`.
  var onEffectFailure: (EffectFlight, any Error) -> Void = { flight, error in
    Issue.record(Comment(rawValue: Failure.thrown(flight, error)), sourceLocation: flight.origin.location)
  }
  /// Called when a reducer has refused what an effect sent, or what was to follow its end.
  var onEffectRefusal: (EffectFlight, Refusal) -> Void = { flight, refusal in
    Issue.record(Comment(rawValue: Failure.refusedReport(flight, refusal)), sourceLocation: flight.origin.location)
  }

  /// Starts a tree.
  ///
  /// - Parameters:
  ///   - root: the root riblet.
  ///   - effects: what becomes of the session's effects.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Throws: `Refusal` if the tree cannot be started.
  public convenience init<Root: Riblet>(
    _ root: Root, effects: EffectPolicy = .held, sourceLocation: SourceLocation = #_sourceLocation
  ) throws where Root.Output == Never, Root.Props == Never {
    self.init(Tree(root: root), effects, Origin(text: "TestSession(…)", location: sourceLocation))
    try start()
  }

  /// Restores a tree from a snapshot.
  ///
  /// - Parameters:
  ///   - root: the root riblet, made anew.
  ///   - snapshot: what was saved.
  ///   - effects: what becomes of the session's effects.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Throws: an error that says why the tree cannot be restored, as one that a newer program has saved.
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
    // Effects that still run end elsewhere, not on the test's thread.
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

  /// Handles a message of a running effect.
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

  /// Begins a call of the test, once every effect has gone on as far as it can.
  private func begin(_ text: String, _ location: SourceLocation) {
    settle()
    runner?.forgetArrivals()
    origin = Origin(text: text, location: location)
  }

  /// Sends a view action as a client does.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - address: the node that the action is for; the root unless given.
  ///   - client: the client that acts; the first client, without a person, unless given.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Throws: `Refusal`; `JSONError` if the action is not JSON; `PatchError` if the patch does not fit the view.
  public func act(
    _ action: String, to address: NodeAddress = .path(""), as client: ActingClient = ActingClient(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    begin("act(\(action))", sourceLocation)
    try finish(try tree.perform(try reader.read(action).root, for: address, by: client, rendering: renderer))
  }

  /// Sends a view action as a client does.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - path: the path of the node that the action is for, such as `detail/inner` or `pages[1]`.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
  /// - Throws: `Refusal`; `JSONError` if the action is not JSON; `PatchError` if the patch does not fit the view.
  public func act(_ action: String, at path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try act(action, to: .path(path), sourceLocation: sourceLocation)
  }

  /// Sends a view action that needs no decoding.
  func act<R: Riblet>(
    _ action: R.ViewAction, to id: NodeID, of type: R.Type, as client: ActingClient, _ origin: Origin
  ) throws {
    begin(origin.text, origin.location)
    try finish(try tree.perform(action, for: id, of: type, by: client, rendering: renderer))
  }

  /// Hands a report of an effect to the tree.
  ///
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  package func deliver(_ report: EffectReport) throws {
    let before = tree.transactionCount
    let commands = try tree.receive(report, rendering: renderer)
    // A report that comes too late is dropped without a transaction.
    if tree.transactionCount != before { try finish(commands) }
  }

  /// Tells the tree that an effect has ended; the next step of its sequence begins, unless it has failed.
  ///
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  package func end(_ token: EffectToken, hasFailed: Bool = false) throws {
    let before = tree.transactionCount
    let commands = try tree.effectEnded(token, hasFailed: hasFailed, rendering: renderer)
    // Mostly nothing waits for the effect's end, and there is no transaction.
    if tree.transactionCount != before { try finish(commands) }
  }

  /// Leaves a node as the client's back button does.
  ///
  /// - Parameters:
  ///   - address: the node; the root unless given.
  ///   - sourceLocation: the line of a failure, filled in by the compiler.
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

  /// Deactivates or activates the whole tree, as a session does.
  ///
  /// - Throws: `Refusal`, or `PatchError` if the patch does not fit the view.
  public func setActive(_ isActive: Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
    begin("setActive(\(isActive))", sourceLocation)
    try finish(try tree.setActive(isActive, rendering: renderer))
  }

  /// Has the root asked for its props again, in the tree of a ``TestRiblet``.
  func updateProps(_ origin: Origin) throws {
    begin(origin.text, origin.location)
    try finish(try tree.updateProps(rendering: renderer))
  }

  /// Does a step of a walk.
  ///
  /// - Returns: the id of the node that was asked for; nil if the walk has to wait for it.
  func perform(_ request: WorkflowRequest, _ origin: Origin) throws -> NodeID? {
    begin(origin.text, origin.location)
    guard case .node(let id, let commands) = try tree.answer(request, rendering: renderer) else { return nil }
    if !commands.isEmpty || renderer.patch.count > 0 { try finish(commands) }
    return id
  }

  /// Returns what has happened in the tree since the last call, or since the session was made: nodes attached and
  /// detached, effects started and ended, transactions ended.
  package func takeEvents() -> [TreeEvent] {
    settle()
    defer { events = [] }
    return events
  }

  /// The id of the root.
  var rootID: NodeID { tree.rootID }

  /// Runs a recorded transaction, and holds its effects.
  ///
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

  /// Stops the tree, after the checks that were left for the end.
  public func stop() {
    checkWhatIsLeft()
    note(tree.stop())
  }

  /// The session as a store keeps it, from which a test makes another one: see ``init(_:restoring:effects:sourceLocation:)``.
  ///
  /// - Throws: `CaptureError` if the `encode(to:)` of a state throws.
  public func saved() throws -> TreeSnapshot {
    settle()
    return try tree.snapshot()
  }

  /// Writes the view document as a server would send it to a new client.
  ///
  /// - Throws: `CaptureError` or `JSONError`.
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
      case .publish(let announcement): announcement.publish()
      }
    }
  }

  /// Applies the patch of a transaction, and carries out its commands.
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
