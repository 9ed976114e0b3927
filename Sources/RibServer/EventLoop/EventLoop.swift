import RibCore
import Synchronization
import Wire
import WireHTTP

/// A serial queue with the descriptors and the memory of the connections that live on it; the executor of their sessions.
///
/// Everything from a connection's bytes to its session's patch runs here, without a change of threads.
///
/// `@unchecked Sendable`: the queue, the executor's methods and ``execute(_:)`` are thread-safe. All other state is only
/// touched on the queue, by the poller, by jobs, and by connections and sessions, which live there.
final class EventLoop: SerialExecutor, @unchecked Sendable {
  private let queue: any JobQueue
  private let jobs = JobCounter()
  private(set) var poller: (any Poller)?

  // Confined to the queue. No access to what is not checked for exclusivity calls user code, nor anything that comes back
  // to it.

  /// What the sessions and channels of the loop work with.
  let work: Workspace
  /// Nanoseconds of the monotonic clock, read once for each batch of events.
  private(set) var now: UInt64 {
    get { work.now }
    set { work.now = newValue }
  }
  /// The connections of this loop.
  private(set) var connections: [Int: Connection] = [:]
  /// The order of turns on a busy loop.
  var loopTurns = LoopTurns()
  /// Those that a sign-out may concern.
  private(set) var connectionsByPerson = PersonIndex()
  /// How many of them are waited for when clients are asked to go elsewhere.
  private var awaitedCount = 0
  /// The sessions of this loop, with a connection or without.
  private(set) var sessions: [Int: Session] = [:]
  /// The last number that a connection or a session was given.
  private var lastNumber = 0
  /// When connections are asked whether they take too long, and sessions whether they were alone for too long.
  private lazy var deadlines = WheelTimer(tick: 1_000_000_000, on: self) { [unowned self] in
    connections[$0]?.checkDeadline()
    sessions[$0]?.core.timeHasCome()
  }
  /// When paused connections are read from again: a timer for each would cost more than their messages.
  private lazy var pauses = WheelTimer(tick: 10_000_000, on: self) { [unowned self] in connections[$0]?.endPause() }
  private var whenEmpty: (() -> Void)?
  /// Which sessions are on their way out of memory, and which wait for it.
  var resting = RestQueue()
  private var whenAllLeft: (() -> Void)?
  /// Whether clients were asked to go elsewhere, and some have not.
  private var isDraining = false
  /// Until when clients may go elsewhere, as the loop's time.
  private var drainEnd: UInt64?
  /// Sessions that have something to commit once the present batch of events is handled.
  @exclusivity(unchecked) private var committing: [Session] = []
  /// Connections that have something to send once the present batch of events is handled.
  @exclusivity(unchecked) private var flushing: [Connection] = []
  /// What the store has answered.
  var answers = StoreAnswers()
  /// Commits that are done, whose memory serves the next ones.
  var spareJobs: [StoreJob] = []
  /// Answers of the store that the loop has not taken yet; any thread adds to them.
  let inbox = Mutex<[StoreJob]>([])
  private var dateSeconds = -1
  private var dateText = ""
  /// Whether the server goes down: a connection that is handed over now is not begun.
  private(set) var isStopping = false

  /// Memory for what is received, of whichever connection has received something.
  @exclusivity(unchecked) var receiveStorage = ReceiveBuffer()
  let deflateStreams = DeflateStreams()

  /// Takes memory back that was lent for what was received.
  ///
  /// - Parameter storage: the memory; what is unread of it stays where it is.
  func giveBack(_ storage: inout ReceiveBuffer) {
    receiveStorage = storage.releaseStorage()
    if receiveStorage.capacity > Workspace.largestKept { receiveStorage = ReceiveBuffer() }
  }

  /// Where sessions are kept; nil for nowhere.
  let store: StoreWriter?
  /// What a commit survives.
  let durability: Welcome.Durability
  /// What sessions do while the store fails.
  let outage: Outage
  /// Whether sessions wait for their commits.
  var isDurable: Bool { durability != .none }
  /// How many times the loop has begun a batch of events or a job, or ended one: odd while it is in one.
  ///
  /// The watchdog reads it.
  let turns = Atomic<UInt64>(0)

  /// A loop.
  ///
  /// - Parameters:
  ///   - name: for debuggers.
  ///   - linger: how long the handler waits for more events before it gives the thread back, in milliseconds.
  ///   - usesEpoll: whether to use one epoll set, where there is epoll.
  ///   - messageLimit: bytes that a message may have.
  ///   - writeQueueLimit: bytes that may wait for a client that does not read, before it gets no more patches.
  ///   - rules: the settings to go by until ``follow(_:)``, but for these two limits.
  ///   - environment: the clocks, the random bits and what makes the queue.
  ///   - store: where sessions are kept; nil for nowhere.
  ///   - flight: where it is noted what runs.
  /// - Throws: ``SystemError`` if the process is out of descriptors.
  init(
    name: String, linger: Int, usesEpoll: Bool, messageLimit: Int, writeQueueLimit: Int = .max,
    rules: Rules = Rules(), environment: Environment = .system, store: StoreWriter? = nil,
    flight: FlightRecorder.Slot? = nil
  ) throws(SystemError) {
    queue = environment.makeQueue(name, .normal)
    self.store = store
    durability = store?.store.durability ?? .none
    outage = store?.store.outage ?? .goesOn
    work = Workspace(
      environment, flight: flight, messageLimit: messageLimit, writeQueueLimit: writeQueueLimit, rules: rules)
    let setup = PollerSetup(
      linger: Int32(clamping: linger), usesEpoll: usesEpoll, jobs: jobs,
      willHandle: { [unowned self] in
        beginTurn()
        return now
      }, didHandle: { [unowned self] in endTurn() }, wasWoken: { [unowned self] in receiveAnswers() })
    poller = try queue.makePoller(setup)
  }

  // MARK: Executor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    execute { [self] in
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  /// The time, for the Date field of responses: written once a second at most.
  var date: String {
    let seconds = work.environment.time.wall()
    if seconds != dateSeconds {
      dateSeconds = seconds
      dateText = HTTPDate.text(secondsSince1970: seconds)
    }
    return dateText
  }

  /// Runs something on the loop, after what is queued already.
  ///
  /// Thread-safe.
  func execute(_ body: @escaping @Sendable () -> Void) {
    jobs.willEnqueue()
    queue.add { [self] in
      jobs.didStart()
      beginTurn()
      body()
      endTurn()
    }
    poller?.wake()
  }

  /// To be called before anything is done on the loop.
  private func beginTurn() {
    countTurn()
    work.begin(.job)
    now = time()
    loopTurns.beginBatch()
  }

  /// To be called when a batch of events, or a job, is handled.
  private func endTurn() {
    endBatch()
    countTurn()
  }

  /// The loop alone writes: a load and a store do, and cost nothing beside an addition that locks the bus.
  private func countTurn() { turns.store(turns.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  /// Runs something on the loop and waits for it.
  ///
  /// Not to be called on a loop.
  func executeAndWait<Result: Sendable, Failure: Error>(
    _ body: @Sendable () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    queue.run { result = Swift.Result(catching: body) }
    guard let result else { preconditionFailure("a queue has not run what it was given") }
    return try result.get()
  }

  /// Runs something on the loop after a while.
  ///
  /// Thread-safe.
  func execute(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    let nanoseconds = delay.components.seconds * 1_000_000_000 + delay.components.attoseconds / 1_000_000_000
    queue.add(after: UInt64(clamping: nanoseconds)) { [self] in
      beginTurn()
      body()
      endTurn()
    }
  }

  /// Nanoseconds of the monotonic clock, at this moment.
  func time() -> UInt64 { work.time() }

  func checkIsolated() { preconditionOnLoop() }

  /// Traps elsewhere than on the loop, so that an `assert` can ask.
  var isCurrent: Bool {
    preconditionOnLoop()
    return true
  }

  func preconditionOnLoop() { queue.preconditionCurrent() }

  /// Goes by other settings, after what is queued already.
  ///
  /// Thread-safe.
  ///
  /// - Parameter rules: the settings, with what is made of them.
  func follow(_ rules: Rules) { execute { [self] in work.follow(rules) } }

  // MARK: Descriptors

  func watch(_ descriptor: Int32, for interest: Interest, _ target: any PollTarget) throws(SystemError) -> Int {
    guard let poller else { throw SystemError(operation: "watch", code: 0) }
    return try poller.watch(descriptor, for: interest, target)
  }

  func change(_ watch: Int, to interest: Interest) { poller?.change(watch, to: interest) }

  /// Ends watching and closes the descriptor.
  func unwatch(_ watch: Int) { poller?.unwatch(watch) { closeDescriptor($0) } }

  /// Ends watching and calls back once nothing refers to the descriptor any more.
  func unwatch(_ watch: Int, _ done: @escaping () -> Void) { poller?.unwatch(watch) { _ in done() } }

  // MARK: Connections and sessions

  func add(_ connection: Connection) -> Int {
    lastNumber += 1
    connections[lastNumber] = connection
    if !connection.isLate { awaitedCount += 1 }
    return lastNumber
  }

  /// Takes note that a sign-out of a person concerns a connection.
  ///
  /// - Parameters:
  ///   - connection: its number; nothing is noted of one that the loop does not have.
  ///   - person: the person.
  func note(_ connection: Int, of person: PersonID) {
    if connections[connection] != nil { connectionsByPerson.add(connection, of: person) }
  }

  /// Takes note that no sign-out concerns a connection any more.
  func forgetPersons(of connection: Int) { connectionsByPerson.remove(connection) }

  func add(_ session: Session) -> Int {
    lastNumber += 1
    sessions[lastNumber] = session
    return lastNumber
  }

  func remove(session: Int) {
    sessions[session] = nil
    guard sessions.isEmpty, let whenAllLeft else { return }
    self.whenAllLeft = nil
    whenAllLeft()
  }

  func remove(_ connection: Int) {
    if let removed = connections.removeValue(forKey: connection), !removed.isLate { awaitedCount -= 1 }
    connectionsByPerson.remove(connection)
    guard isDraining ? awaitedCount == 0 : connections.isEmpty, let whenEmpty else { return }
    self.whenEmpty = nil
    whenEmpty()
  }

  /// Has ``Connection/checkDeadline()`` or ``SessionCore/timeHasCome()`` called after so many seconds.
  func schedule(_ number: Int, after seconds: Int) {
    deadlines.schedule(number, after: UInt64(seconds) * 1_000_000_000)
  }

  /// Has ``Connection/endPause()`` called after so many nanoseconds.
  func schedulePause(of connection: Int, nanoseconds: UInt64) { pauses.schedule(connection, after: nanoseconds) }

  // MARK: Commits

  /// Whether the store fails.
  var isStoreFailing: Bool { store?.isFailing ?? false }

  /// Puts a session on the list of sessions that have something to commit.
  func willCommit(_ session: Session) { committing.append(session) }

  /// Puts a connection on the list of connections that have something to send.
  func willFlush(_ connection: Connection) { flushing.append(connection) }

  /// Ends a batch of events: what it has changed is given to the store, and what may go is sent.
  private func endBatch() {
    while !committing.isEmpty || !flushing.isEmpty {
      commit()
      // A connection that is cut as it sends leaves its session, which has that to commit.
      let connections = flushing
      flushing = []
      for connection in connections { connection.flush() }
    }
    if work.stats.answeredInTurn > 0 {
      work.stats.answerTimes.add(time() - now, times: UInt64(work.stats.answeredInTurn))
      work.stats.answeredInTurn = 0
    }
  }

  /// Gives the store what a batch of events has changed.
  private func commit() {
    guard !committing.isEmpty else { return }
    guard let store else { return committing.removeAll() }
    var jobs: [StoreJob] = []
    jobs.reserveCapacity(committing.count)
    for session in committing {
      if let request = session.core.takeCut() { jobs.append(job(for: request, of: session)) }
    }
    committing.removeAll(keepingCapacity: committing.count < 1024)
    if !jobs.isEmpty { store.submit(jobs) }
  }

  /// Has the store note that the session is in no process's memory, unless another lease was given out since.
  ///
  /// - Parameters:
  ///   - sessionID: the session.
  ///   - lease: the lease under which this process wrote it last.
  func noteAbsence(ofSession sessionID: String, _ lease: SessionLease) {
    store?.submit([StoreJob(.noteAbsence(sessionID: sessionID, lease), on: self)])
  }

  /// Has sessions that went on in memory committed.
  func storeIsBack() {
    // A session that has not been told yet that the store has failed would go on as if it still did.
    afterAnswers { [self] in for session in sessions.values { session.core.storeIsBack() } }
  }

  /// Tells the clients of sessions that have nothing to commit that what they have committed is not stored any more.
  func storeIsLost() {
    afterAnswers { [self] in for session in Array(sessions.values) { session.core.storeIsLost() } }
  }

  /// Has every session leave memory, and calls back when the store has written them, or has failed at it.
  func stopSessions(_ done: @escaping @Sendable () -> Void) {
    execute { [self] in
      for session in Array(sessions.values) { session.core.stop() }
      endBatch()
      guard !sessions.isEmpty, isDurable else { return done() }
      whenAllLeft = done
    }
  }

  /// Has sessions leave memory that wait for a store that does not answer.
  func giveUpSessions() {
    execute { [self] in for session in Array(sessions.values) { session.core.giveUpStore() } }
  }

  // MARK: End

  /// Asks every client to go elsewhere, ends connections without a session, and calls back when the last connection is gone, or
  /// time is up.
  func drainAll(within seconds: Int, _ done: @escaping @Sendable () -> Void) {
    execute { [self] in
      drainEnd = now + UInt64(seconds) * 1_000_000_000
      for connection in Array(connections.values) { connection.drain(within: seconds) }
      guard awaitedCount > 0 else { return done() }
      isDraining = true
      whenEmpty = { [self] in
        isDraining = false
        done()
      }
      execute(after: .seconds(seconds)) { [self] in
        guard isDraining, let whenEmpty else { return }
        self.whenEmpty = nil
        whenEmpty()
      }
    }
  }

  /// How long clients still may take to go elsewhere; nil if they were not asked to.
  var drainSecondsLeft: Int? { drainEnd.map { Int(($0 - min($0, now)) / 1_000_000_000) } }

  /// Ends every connection and calls back when the last one is gone.
  func closeAll(_ done: @escaping @Sendable () -> Void) {
    execute { [self] in
      isStopping = true
      guard !connections.isEmpty else { return done() }
      whenEmpty = done
      for connection in Array(connections.values) { connection.shutDown() }
    }
  }

  /// Cuts what connections are left, and gives up the poller.
  func stop() {
    execute { [self] in
      isStopping = true
      for connection in Array(connections.values) { connection.abort() }
      for session in Array(sessions.values) { session.core.leaveMemory() }
      deadlines.clear()
      pauses.clear()
      // Answers for which the handler was woken have no job, and a handler that is cancelled does not take them.
      receiveAnswers()
      // They refer to the loop.
      spareJobs = []
      poller?.cancel()
    }
  }
}
