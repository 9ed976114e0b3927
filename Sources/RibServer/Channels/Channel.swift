import RibCore
import Wire
import WireHTTP

/// A client's way to its session, whatever carries it: the frames of a WebSocket, or a stream of server-sent events.
///
/// It holds what is on its way to the client, and what the session still owes it. It does no I/O: the ``ChannelPort`` sends
/// what may be sent, and hands on what was received.
///
/// | state       | meaning                                          | ``receive(_:)``          | ``enter(_:as:)`` | ``fallAsleep(_:)`` | ``say(_:_:)`` |
/// |-------------|--------------------------------------------------|--------------------------|------------------|--------------------|---------------|
/// | `greeting`  | `hello` is awaited                               | `greet`                  | `live`           |                    | `over`        |
/// | `searching` | the session is read from the store, or elsewhere | is kept                  | `live`           | `asleep`           | `over`        |
/// | `live`      | the session is told what the client says         | by the session           |                  | `asleep`           | `over`        |
/// | `asleep`    | the session has left memory                      | `wake` or `renew`        | `live`           |                    | `over`        |
/// | `over`      | all is said                                      | is not looked at         |                  |                    |               |
final class Channel {
  enum State {
    case greeting
    case searching
    case live(SessionCore, client: Int)
    case asleep(Sleeper)
    case over
  }

  /// What carries messages.
  enum Transport {
    /// Frames of a WebSocket.
    case frames(FrameWriter)
    /// Server-sent events: the client cannot answer.
    case events
  }

  /// The debt to the client: a snapshot, or a hash as well, if patches were left out while the client did not read.
  enum Debt {
    case nothing
    case snapshot
    /// The client has asked for a hash, too: of what it sees then.
    case snapshotAndHash
  }

  /// The memory of the loop where the channel is.
  var work: Workspace
  /// Sends and receives; nil once the connection is gone, whatever its session still releases.
  weak var port: (any ChannelPort)?
  // No access to what is not checked for exclusivity calls user code, nor anything that comes back to it.
  @exclusivity(unchecked) private(set) var state = State.greeting
  @exclusivity(unchecked) var transport = Transport.frames(.server)
  @exclusivity(unchecked) var output = SendQueue()
  @exclusivity(unchecked) private var debt = Debt.nothing
  /// Whether the port is going to send what may be sent, without being asked again.
  @exclusivity(unchecked) var isFlushing = false
  /// Actions whose commits are awaited.
  @exclusivity(unchecked) var waitingActions = WaitingActions()
  /// The `welcome` that waits for its commit; nil once it may go.
  @exclusivity(unchecked) var greeting: Greeting?
  /// The person whose credential the client has shown on this connection; nil for nobody.
  @exclusivity(unchecked) var signIn: SignIn? {
    didSet { if let signIn, signIn !== oldValue { port?.isConcerned(by: PersonID(signIn.identity)) } }
  }
  /// How it has ended while a `welcome` waited: that is to be said also if the `welcome` never is.
  private var farewell: (bye: Bye?, code: CloseCode?, reason: String)?
  /// The messages of an array that are still to be handled.
  @exclusivity(unchecked) var messages: PendingMessages?
  /// Whether a `pong` is among what waits for a commit.
  @exclusivity(unchecked) var holdsPong = false
  /// Whether the client wants to be told who is connected to the session.
  var tellsClients = false
  /// Whether other clients are connected by now, and it was not told as it does not read.
  private(set) var owesClients = false
  /// The clients that it was told of last.
  private var toldClients: [ConnectedClient] = []
  /// The limits by which the client is read: those that were in force when its connection began.
  var limits: Welcome.Limits { budget.rates.announced }
  /// The trace of the request that the channel was made of; nil if it has none.
  var trace: RequestTrace?
  /// The client's budget: from its entrance on, the one that its session keeps.
  let budget: ClientBudget

  /// A channel over which nothing was said.
  ///
  /// - Parameter work: the loop's memory.
  init(_ work: Workspace) {
    self.work = work
    budget = ClientBudget(work.rules.clients)
  }

  /// Takes note that the client is told who is connected to its session.
  ///
  /// - Parameter clients: who is.
  /// - Returns: false if it does not want to know, or knows it, or does not read.
  func takeNews(of clients: [ConnectedClient]) -> Bool {
    owesClients = tellsClients && clients != toldClients && isCongested
    guard tellsClients, clients != toldClients, !isCongested else { return false }
    toldClients = clients
    return true
  }

  /// Takes note that the last list of clients was discarded, and is to be sent anew.
  func forgetClients() { toldClients = [] }

  // MARK: State

  /// Whether so much waits to be sent that the client gets no more patches until it has read all of it.
  var isCongested: Bool { output.count > work.writeQueueLimit }
  /// Whether so much waits for the client, and not for a commit, that it is not read from until it has taken some.
  var readsTooLittle: Bool { output.sendableCount > work.writeQueueLimit }
  /// Whether commits hold up so much that the client is not read from: that they take long is not its fault, but its answers take memory.
  var waitsForTooMuch: Bool { waitingActions.areTooMany || output.count / 4 > work.writeQueueLimit }
  /// Whether so much is owed to the client that it is not read from.
  var owesTooMuch: Bool { readsTooLittle || waitsForTooMuch }
  /// Whether patches were left out: the client gets a snapshot once it reads.
  var owesSnapshot: Bool { debt != .nothing }
  /// Whether a slow reader is owed a snapshot or a client list.
  var owesAnything: Bool { owesSnapshot || owesClients }
  /// Whether nothing is under way: neither what the client has said nor what it is told.
  var isIdle: Bool {
    // A stream of events could not wake the session.
    guard case .live = state, case .frames = transport else { return false }
    return messages == nil && output.isEmpty && !owesAnything && port?.hasUnreadInput != true
  }

  /// Whether the client is told what happens by events.
  var isEventStream: Bool { if case .events = transport { true } else { false } }

  /// Waits for its session.
  func search() {
    messages?.wait()
    state = .searching
  }

  /// Whether it is a client's, whose session may be in memory or not.
  var isJoined: Bool {
    switch state {
    case .live, .asleep: true
    case .greeting, .searching, .over: false
    }
  }

  /// The session of the channel's client; nil before the client is let in, and after the channel's end.
  var sessionID: String? {
    switch state {
    case .live(let core, _): core.id
    case .asleep(let sleeper): sleeper.sessionID
    case .greeting, .searching, .over: nil
    }
  }

  /// Whether its session is being looked for.
  var isSearching: Bool { if case .searching = state { true } else { false } }

  /// What was looked for is there, or is known not to be.
  ///
  /// - Returns: false if the channel has ended meanwhile.
  func endSearch() -> Bool {
    guard isSearching else { return false }
    state = .greeting
    return true
  }

  /// Whether the channel's client belongs to one of some persons, or to a session that one of them has begun.
  ///
  /// The client that has begun the session may be away, so that no channel of its own tells the session of a sign-out.
  func isConcerned(by persons: Set<PersonID>) -> Bool {
    if let signIn, persons.contains(PersonID(signIn.identity)) { return true }
    guard case .live(let core, let client) = state, client != 1 else { return false }
    return core.audience[1].ledger.record.person.map { persons.contains(PersonID($0.identity)) } ?? false
  }

  /// Ends the channel if the client's identity has expired and its grace period is over.
  ///
  /// - Returns: whether it has ended.
  func endIfOver() -> Bool {
    guard let signIn, isJoined, signIn.isOver(at: work.now) else { return false }
    say(.expired, "The client's identity is over: come back with a new credential.")
    return true
  }

  /// Is a client's from now on.
  func enter(_ core: SessionCore, as client: Int) {
    state = .live(core, client: client)
    if client != 1, let owner = core.audience[1].ledger.record.person {
      port?.isConcerned(by: PersonID(owner.identity))
    }
  }

  /// The longest `welcome` after which a session rests on, in bytes.
  private static let longWelcome = 4_096

  /// Welcomes a client whose session rests on.
  ///
  /// - Parameters:
  ///   - welcome: what it is told.
  ///   - sleeper: what it sleeps by.
  /// - Returns: what is to be done.
  func comeBack(_ welcome: Welcome, _ sleeper: Sleeper) -> ChannelStep {
    work.json.removeAll()
    work.json.welcome(welcome)
    let length = work.json.count
    budget.noteAnswer(bytes: length)
    send(isPlain: true)
    // The session has to wake for either of two reasons: the client has sent more with its `hello`, or the `welcome` is long, for which
    // the session keeps the budget.
    let hasMore = messages != nil || length > Self.longWelcome
    fallAsleep(sleeper)
    guard hasMore else { return .none }
    search()
    return .wake(sleeper)
  }

  /// Keeps only what wakes the session when the client says something, or when the session is back in memory for another client.
  func fallAsleep(_ sleeper: Sleeper) {
    state = .asleep(sleeper)
    waitingActions = WaitingActions()
    port?.didFallAsleep(sleeper)
  }

  /// Its session is no more, or it is cut: nothing more is said or looked at.
  ///
  /// - Parameter comesBack: what the client was told to do next.
  /// - Returns: what it has slept by; nil if it was awake.
  @discardableResult
  func leave(comesBack: Bye.Return = .atOnce) -> Sleeper? {
    let old = state
    state = .over
    waitingActions = WaitingActions()
    messages = nil
    switch old {
    case .live(let core, let client): core.channelEnded(self, of: client, comesBack: comesBack)
    case .asleep(let sleeper): return sleeper
    case .greeting, .searching, .over: break
    }
    return nil
  }

  // MARK: What the client is told

  /// Puts the message in the workspace on its way.
  ///
  /// - Parameters:
  ///   - id: if it is an event, the view that the client has after it.
  ///   - isPlain: whether the message is not compressed. A message with a secret must not be: compressed together with text that an
  ///     attacker has chosen, its length would reveal the secret (CRIME, BREACH).
  func send(id: @autoclosure () -> String? = nil, isPlain: Bool = false) {
    borrowStorage()
    let message = work.json.bytes
    switch transport {
    case .frames where isPlain: FrameWriter.server.text(message.span, into: &output.bytes)
    case .frames(let writer): writer.text(message.span, into: &output.bytes)
    case .events: writeEvent(message, id: id())
    }
    if message.capacity > Workspace.largestKept { work.json = JSONWriter() }
    flushLater()
  }

  /// Writes a message as an event (HTML, §9.2: server-sent events).
  private func writeEvent(_ message: [UInt8], id: String?) {
    if let id { output.bytes.append(contentsOf: "id: \(id)\n".utf8) }
    output.bytes.append(contentsOf: "data: ".utf8)
    output.bytes.append(contentsOf: message)
    output.bytes.append(contentsOf: "\n\n".utf8)
  }

  /// Lends the channel memory to write to, if it has none.
  func borrowStorage() {
    if output.bytes.capacity == 0 { output.bytes = work.sendStorage.take() }
  }

  /// Has what may be sent sent at the end of the present batch of events.
  func flushLater() {
    guard !isFlushing else { return }
    isFlushing = true
    port?.flushLater()
  }

  /// Says why the channel ends, in a message and in the close frame, and ends it.
  ///
  /// - Parameters:
  ///   - bye: why.
  ///   - message: the same in a sentence.
  func say(_ bye: Bye, _ message: String) {
    if case .over = state { return }
    port?.willSay(bye, message)
    switch bye {
    // A client that has taken nothing for long would not take that either; a server that goes down has not the time; and
    // the client is elsewhere already.
    case .silent, .shutdown, .taken: break
    default: payDebt()
    }
    // The view may have failed to be shown.
    if case .over = state { return }
    close(bye.closeCode, message, saying: bye, comesBack: bye.comesBack)
  }

  /// Forgets a `welcome` that has waited for a commit, with all that came after it but the reason for which the channel has ended.
  func takeBackGreeting() {
    discardHeld()
    if let farewell { write(farewell.bye, farewell.code, farewell.reason) }
    flushLater()
  }

  /// Ends the channel with a close frame that says why.
  ///
  /// - Parameters:
  ///   - code: why.
  ///   - reason: the same in a sentence.
  func close(_ code: CloseCode, _ reason: String) { close(code, reason, comesBack: Bye.Return(code)) }

  /// Answers the peer's close frame: it ends the connection, and never the session.
  ///
  /// - Parameter code: what the peer has given as its reason; nil for none.
  func answerClose(_ code: CloseCode?) { close(code, "", comesBack: .atOnce) }

  private func close(_ code: CloseCode?, _ reason: String, saying bye: Bye? = nil, comesBack: Bye.Return) {
    if case .over = state { return }
    if greeting != nil { farewell = (bye, code, reason) }
    write(bye, code, reason)
    port?.channelEnded(comesBack: comesBack)
    flushLater()
  }

  private func write(_ bye: Bye?, _ code: CloseCode?, _ reason: String) {
    if let bye {
      work.json.removeAll()
      work.json.bye(bye, message: reason)
      send()
    }
    if case .frames(let writer) = transport { writer.close(code, reason: reason, into: &output.bytes) }
  }

  // MARK: Debts

  /// Leaves out a patch, as the client does not read: it gets a snapshot once it does.
  func oweSnapshot() { if debt == .nothing { debt = .snapshot } }

  /// Has a hash come behind the snapshot that is owed.
  func oweHash() { debt = .snapshotAndHash }

  /// Takes note that nothing is owed any more: the snapshot is being sent, or is not to be.
  ///
  /// - Returns: what was owed.
  func settleDebt() -> Debt {
    defer { debt = .nothing }
    return debt
  }

  /// Sends the snapshot that the client is owed, and who is connected: once the queue is empty, or when the client says no more.
  func payDebt() {
    guard owesAnything, case .live(let core, let client) = state else { return }
    core.payDebt(to: self, of: client)
  }

  // MARK: Commits

  /// Takes note that the `welcome` that was just sent may still have to be said otherwise.
  func noteGreeting(_ token: String, isResumed: Bool) {
    guard output.isHolding else { return }
    greeting = Greeting(token: token, isResumed: isResumed, end: output.writtenCount)
  }

  /// Takes note that the messages held so far wait for the commit that begins.
  func noteCut() {
    output.noteCut()
    waitingActions.noteCut()
  }

  /// Lets messages go that have waited for a commit.
  ///
  /// - Parameter all: whether nothing has to wait for the next one.
  func release(all: Bool) {
    output.release(all: all)
    if let greeting, output.releasedCount >= greeting.end { self.greeting = nil }
    waitingActions.release(all: all)
    if !output.isHolding { holdsPong = false }
    flushLater()
  }

  /// Forgets the messages that wait for a commit.
  func discardHeld() {
    output.discardHeld()
    holdsPong = false
    if case .frames(let writer) = transport { writer.forgetContext() }
    greeting = nil
  }
}
