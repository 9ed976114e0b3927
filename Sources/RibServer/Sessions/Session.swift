import Logging
import RibCore
import Synchronization
import Wire

/// A client's riblets and what it has been told of them.
///
/// The actor runs on its connection's loop, so that the connection reaches it without a hop. It is the tree's driver:
/// each action of the client and each report of an effect is one transaction; what it changed goes out as a patch, and
/// the effects that it asked for start.
///
/// It outlives its connection: until the client comes back, what it misses is kept for a while, and the session as long
/// as it may be without one.
actor Session {
  nonisolated let id: String
  nonisolated let loop: EventLoop
  /// Its number among those of its loop; 0 before it has started and after it has ended.
  private var place = 0
  private let context: ServerContext
  private let tree: Tree
  private let walk: App.Walk?
  private let app: String
  private let client: ClientInfo
  private let epoch = Session.randomHex(words: 1)
  private var revision = 1

  /// The renderer's half: what it has sent, and what it is owed.
  private weak var connection: Connection?
  private var ledger: ClientLedger
  /// Whether an action was applied: otherwise there is nothing to lose.
  private var hasActed = false
  private var history = PatchHistory()
  /// Since when there is no connection, as the loop's time; nil if there is one.
  private var aloneSince: UInt64?
  private var isExpiryScheduled = false

  private var effects: [EffectToken: Task<Void, Never>] = [:]
  private var walkTask: Task<Void, Never>?
  /// Steps of walks that wait for the next transaction.
  private var waitingSteps: [CheckedContinuation<Void, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A session whose tree is not started.
  ///
  /// - Throws: what the app says of the parameters.
  init(of app: App, _ hello: ClientMessage.Hello, token: String, on loop: EventLoop, _ context: ServerContext) throws {
    id = Self.randomHex(words: 2)
    ledger = ClientLedger(id: 1, token: token)
    self.loop = loop
    self.context = context
    (tree, walk) = try app.makeTree(hello.parameters, id)
    self.app = app.name
    client = hello.client
    context.sessionCount.add(1, ordering: .relaxed)
  }

  isolated deinit {
    context.sessionCount.subtract(1, ordering: .relaxed)
  }

  /// What a new renderer proves itself with: 256 random bits, as text.
  static func makeToken() -> String { randomHex(words: 4) }

  // MARK: The client

  /// Starts the tree and shows it.
  ///
  /// - Parameters:
  ///   - connection: where.
  ///   - token: the client's.
  /// - Returns: why it cannot be shown, or nil.
  func start(_ connection: Connection, token: String) -> String? {
    do throws(Refusal) {
      carryOut(try tree.start(rendering: loop.renderer))
    } catch {
      log(.error, "A session could not be started.", ["reason": "\(error.message)"])
      return error.message
    }
    self.connection = connection
    place = loop.add(self)
    context.sessions.add(self)
    sendWelcome(token, isResumed: false)
    log(
      .debug, "A session has started.",
      ["app": "\(app)", "client": "\(client.name ?? "?") \(client.version ?? "")", "locale": "\(client.locale ?? "?")"])
    sendSnapshot()
    beginWalk(walk)
    return nil
  }

  /// Goes on with a client that comes back.
  ///
  /// What it has missed it gets as patches if all of them are kept, otherwise as a snapshot.
  ///
  /// - Parameters:
  ///   - connection: where.
  ///   - resume: what the client says.
  /// - Returns: why it may not, and in a sentence; nothing has changed then. Nil if it may.
  func resume(_ connection: Connection, _ resume: ClientMessage.Resume) -> (Bye, String)? {
    guard place != 0 else { return (.gone, "The session has ended.") }
    switch ledger.admit(resume) {
    case nil: break
    case .stale?: return (.stale, "Attempt \(resume.attempt) is not above the last one.")
    case let bye?: return (bye, "The token is not that of client \(resume.clientID) in this session.")
    }
    let overtaken = self.connection
    self.connection = connection
    aloneSince = nil
    overtaken?.say(.taken, "The client has connected again.")
    overtaken?.flush()
    sendWelcome(resume.token, isResumed: true)
    log(.debug, "A session goes on.", ["attempt": "\(resume.attempt)"])
    let hasAll =
      resume.epoch == epoch
      && history.replay(after: resume.revision, to: revision, at: loop.now) { revision, operations in
        loop.json.removeAll()
        loop.json.patch(revision: revision, base: revision - 1, number: ledger.number, operations: operations)
        connection.sendMessage()
      }
    if !hasAll { sendSnapshot() }
    return nil
  }

  private func sendWelcome(_ token: String, isResumed: Bool) {
    guard let connection else { return }
    let settings = context.settings
    loop.json.removeAll()
    loop.json.welcome(
      Welcome(
        sessionID: id, clientID: ledger.id, token: token, epoch: epoch, revision: revision, number: ledger.number,
        nacks: ledger.nacks, resumed: isResumed, durability: .none, build: Server.version,
        timeToLive: settings.sessions.timeToLiveSeconds * 1000,
        heartbeat: settings.timeouts.heartbeatSeconds * 1000, limits: settings.limits.announced))
    connection.sendMessage()
  }

  /// Runs an action, or answers it again if it was run before; to be called on the loop.
  ///
  /// `assumeIsolated` would allocate a closure and search for the present executor, for each action anew.
  ///
  /// - Returns: what the client did wrong, or nil.
  nonisolated func actOnLoop(_ act: ClientMessage.Act) -> String? {
    assert(loop.isCurrent)
    let isolated = { (session: isolated Session, act: ClientMessage.Act) -> String? in session.act(act) }
    // What is isolated to a parameter takes it like any other.
    return unsafeBitCast(isolated, to: ((Session, ClientMessage.Act) -> String?).self)(self, act)
  }

  private func act(_ act: ClientMessage.Act) -> String? {
    switch ledger.take(act.number) {
    case .next: break
    case .done:
      sendPatch(base: revision)
      return nil
    case .gap: return "Action \(act.number) came after \(ledger.number): numbers go up by one."
    }
    let start = loop.time()
    do throws(Refusal) {
      let commands = try tree.perform(act.action, for: act.to, rendering: loop.renderer)
      hasActed = true
      publish(isReply: true)
      carryOut(commands)
    } catch {
      if !refuse(act, error) { return "More than \(ClientLedger.nackLimit) refusals are not acknowledged." }
    }
    noteDuration(since: start)
    return nil
  }

  /// Forgets what was kept until the client has seen it.
  ///
  /// - Returns: what the client did wrong, or nil.
  func acknowledge(_ acknowledgement: Acknowledgement) -> String? {
    guard acknowledgement.number <= ledger.number, acknowledgement.revision <= revision else {
      return """
        An "ack" for revision \(acknowledgement.revision) and action \(acknowledgement.number), which are not there yet.
        """
    }
    ledger.acknowledge(acknowledgement.number)
    history.acknowledge(acknowledgement.revision)
    return nil
  }

  // MARK: Life

  /// Waits for the client to come back, as long as it may.
  ///
  /// - Parameters:
  ///   - connection: the one that is gone; it may have been overtaken.
  ///   - comesBack: what its client was told to do next.
  func connectionEnded(_ connection: Connection, comesBack: Bye.Return) {
    guard self.connection === connection else { return }
    self.connection = nil
    // Who has done nothing and shall not come back has nothing to come back for.
    if comesBack == .not, !hasActed { return end() }
    aloneSince = loop.now
    expireInTime()
  }

  /// Ends the session if it has been without a client for too long.
  func checkExpiry() {
    isExpiryScheduled = false
    expireInTime()
  }

  private func expireInTime() {
    guard place != 0, let aloneSince else { return }
    let settings = context.settings.sessions
    var limit = settings.timeToLiveSeconds
    if !hasActed { limit = min(limit, settings.untouchedSeconds) }
    let elapsed = Int((loop.now - aloneSince) / 1_000_000_000)
    guard elapsed < limit else { return end() }
    history.forget(before: loop.now)
    // One look at a time, however often the client comes and goes; and soon, as the loop forgets none of them before.
    guard !isExpiryScheduled else { return }
    isExpiryScheduled = true
    loop.schedule(place, after: min(limit - elapsed, 60))
  }

  /// Ends the session: nothing that is still on its way arrives.
  func end() {
    guard place != 0 else { return }
    loop.remove(session: place)
    place = 0
    context.sessions.remove(self)
    connection = nil
    carryOut(tree.stop())
    for task in effects.values { task.cancel() }
    effects = [:]
    walkTask?.cancel()
    resumeWalks()
    log(.debug, "A session has ended.")
  }

  // MARK: What the client is told

  private func publish(isReply: Bool) {
    resumeWalks()
    let base = revision
    if loop.renderer.patch.count > 0 {
      revision += 1
      history.append(loop.renderer.patch.json.bytes, revision: revision, at: loop.now)
    } else if !isReply {
      return
    }
    sendPatch(base: base)
  }

  private func sendPatch(base: Int) {
    guard let connection else { return }
    guard !connection.owesSnapshot, !connection.isCongested else {
      connection.owesSnapshot = true
      return
    }
    loop.json.removeAll()
    let operations = base == revision ? [] : loop.renderer.patch.json.bytes
    loop.json.patch(revision: revision, base: base, number: ledger.number, operations: operations.span)
    connection.sendMessage()
  }

  /// Shows the client all there is.
  func sendSnapshot() {
    guard let connection else { return }
    connection.owesSnapshot = false
    loop.json.removeAll()
    loop.json.beginSnap(epoch: epoch, revision: revision, number: ledger.number)
    do throws(RecordingError) {
      try tree.writeView(into: &loop.json, rendering: loop.renderer)
    } catch {
      log(.error, "A view cannot be encoded any more.", ["reason": "\(error)"])
      connection.say(.failed, "The view cannot be encoded: \(error)")
      return end()
    }
    loop.json.endObject()
    connection.sendMessage()
  }

  /// Says that an action was refused, and keeps that until the client has heard of it.
  ///
  /// - Returns: whether there is room for it.
  private func refuse(_ act: ClientMessage.Act, _ refusal: Refusal) -> Bool {
    let level: Logger.Level = refusal.code == .failed ? .error : .debug
    log(
      level, "An action was refused.",
      [
        "riblet": "\(tree.lastTypeName ?? "none")", "code": "\(refusal.code.rawValue)",
        "reason": "\(refusal.message)",
      ])
    let nack = Nack(number: act.number, code: refusal.code, message: ClientLedger.brief(refusal.message))
    let hasRoom = ledger.refuse(nack)
    guard let connection else { return hasRoom }
    loop.json.removeAll()
    loop.json.nack(nack)
    connection.sendMessage()
    return hasRoom
  }

  // MARK: Effects

  private func carryOut(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let start): effects[start.token] = run(start)
      case .cancel(let token): effects.removeValue(forKey: token)?.cancel()
      case .publish(let publish): publish()
      }
    }
  }

  /// Effects run on the global pool, never on the loop.
  private func run(_ effect: EffectStart) -> Task<Void, Never> {
    Task.detached { [weak self] in
      var failure: (any Error)?
      do {
        try await effect.run { [weak self] report in await self?.receive(report) }
      } catch {
        failure = error
      }
      await self?.effectEnded(effect, failure)
    }
  }

  private func receive(_ report: EffectReport) {
    let start = loop.time()
    do throws(Refusal) {
      let commands = try tree.receive(report, rendering: loop.renderer)
      publish(isReply: false)
      carryOut(commands)
    } catch {
      log(
        .error, "What an effect sent could not be applied.",
        ["riblet": "\(tree.lastTypeName ?? "none")", "reason": "\(error.message)"])
    }
    noteDuration(since: start)
    connection?.flush()
  }

  private func effectEnded(_ effect: EffectStart, _ error: (any Error)?) {
    effects[effect.token] = nil
    do throws(Refusal) {
      let commands = try tree.effectEnded(effect.token, hasFailed: error != nil, rendering: loop.renderer)
      publish(isReply: false)
      carryOut(commands)
    } catch {
      log(
        .error, "What an effect was to be followed by could not be done.",
        ["riblet": "\(effect.typeName)", "reason": "\(error.message)"])
    }
    connection?.flush()
    guard let error, !(error is CancellationError) else { return }
    log(.error, "An effect has failed.", ["riblet": "\(effect.typeName)", "error": "\(error)"])
  }

  // MARK: Walks

  /// Begins the app's walk through the tree, if it has one.
  private func beginWalk(_ walk: App.Walk?) {
    guard let walk else { return }
    let root = tree.rootID
    walkTask = Task.detached { [weak self] in
      do {
        try await walk(root) { [weak self] request in
          guard let self else { throw CancellationError() }
          return try await self.answer(request)
        }
      } catch is CancellationError {
      } catch {
        await self?.walkFailed(error)
      }
    }
  }

  private func walkFailed(_ error: any Error) {
    log(.warning, "A walk through the tree could not be finished.", ["reason": "\(error)"])
  }

  /// Does a step of a walk, after as many transactions as it takes.
  private func answer(_ request: WorkflowRequest) async throws -> NodeID {
    while true {
      try Task.checkCancellation()
      guard place != 0 else { throw CancellationError() }
      if case .node(let id, let commands) = try tree.answer(request, rendering: loop.renderer) {
        publish(isReply: false)
        carryOut(commands)
        connection?.flush()
        return id
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waitingSteps.append($0) }
      } onCancel: {
        Task { await self.resumeWalks() }
      }
    }
  }

  /// Lets walks look whether what they wait for has come.
  private func resumeWalks() {
    guard !waitingSteps.isEmpty else { return }
    let steps = waitingSteps
    waitingSteps = []
    for step in steps { step.resume() }
  }

  // MARK: Notes

  /// A reducer that takes long holds up every session of its loop.
  private func noteDuration(since start: UInt64) {
    let milliseconds = (loop.time() - start) / 1_000_000
    guard milliseconds >= 10 else { return }
    log(
      .warning, "A transaction took long.",
      ["riblet": "\(tree.lastTypeName ?? "none")", "milliseconds": "\(milliseconds)"])
  }

  private func log(
    _ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]
  ) {
    guard context.logger.logLevel <= level else { return }
    var all = metadata()
    all["session"] = "\(id)"
    context.logger.log(level: level, message, metadata: all)
  }

  /// Random bits from the system's generator, as hexadecimal digits.
  private static func randomHex(words: Int) -> String {
    (0..<words).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
