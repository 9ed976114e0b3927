import Logging
import RibCore
import Synchronization
import Wire

/// What all loops of a server share.
final class ServerContext: Sendable {
  let apps: [ExactString: App]
  /// The names of the apps, in order.
  let appNames: [String]
  /// The settings in force: each loop has a copy of its own, ``Workspace/rules``, which needs no lock.
  private let inForce: Mutex<Rules>
  /// The same with their sources, for whoever looks; nil if the program has not told them.
  let toldSettings = Mutex<[SettingInForce]?>(nil)
  let files: StaticFiles
  let logger: Logger
  let connections: ConnectionCounter
  /// How many sessions may be begun from one place.
  let newSessions: RateBudget<Place>
  /// How many sessions each person may begin.
  let newSessionsOfPersons: RateBudget<PersonID>
  /// The budget of each place and each person, in nanoseconds, of which each second has one.
  ///
  /// ``Dues`` has the prices.
  let effort = RateBudget<Payer>(perMinute: 60_000_000_000, atOnce: 30)
  /// How many credentials from one place may be wrong.
  let failedSignIns: RateBudget<Place>
  /// The questions to the authenticator; nil if the server has none.
  let authentications: Authentications?
  /// How many connections each person has.
  let connectionsOfPersons: PersonCounter
  /// The persons who were signed out.
  let revocations = Revocations()
  let sessions = SessionRegistry<Session>()
  let sessionCount = Atomic<Int>(0)
  /// Sessions that were in memory alone when the server stopped, as the store has failed.
  let lostSessionCount = Atomic(0)
  /// How many sessions wait to be read from the store, and how many may.
  let loads = Mutex(LoadPace())
  /// How many more may be read until the memory is looked at again; only while there is too much of it.
  let loadBudget = Atomic(0)
  let metrics: ServerMetrics
  /// How many loops have not come back for half the time after which the watchdog ends the process.
  let lateLoopCount = Atomic(0)
  /// The server that this one shows to operators, and who may look; nil if it shows none.
  let desk: AdminDesk?
  /// Tells apps of sessions that have ended.
  let ends: EndReporters
  /// Makes spans of what sessions do; nil if the program has chosen no tracer.
  let tracer: SessionTracer?
  /// Compresses long answers.
  let compressor: Compressor
  /// The clocks of the server, its random bits, its connections and its queues.
  let environment: Environment
  /// Whether clients are asked to go elsewhere, as the server is to stop.
  let isDraining = Atomic(false)
  /// Whether the process has more memory than it may have.
  let isOverMemory = Atomic(false)
  /// Whether there is an endpoint that sends every message back.
  let offersEcho: Bool
  /// Signs persons out; set once, before the first connection is accepted.
  nonisolated(unsafe) private(set) var signOuts: SignOuts?
  /// The nodes with which this server shares its store; nil for none.
  ///
  /// Set once, before the first connection is accepted.
  nonisolated(unsafe) private(set) var cluster: Cluster?
  /// Where sessions are recorded; nil if they are not.
  let recordings: RecordingFolder?
  /// The sessions that operators have recorded, where not all are.
  let recordingsOnDemand: OnDemandRecordings

  init(
    apps: [App], files: StaticFiles, settings: ServerSettings, authenticator: (any SessionAuthenticator)? = nil,
    logger: Logger, environment: Environment = .system, metrics: ServerMetrics = ServerMetrics(),
    desk: AdminDesk? = nil
  ) {
    self.desk = desk
    self.files = files.versioned()
    self.metrics = metrics
    self.environment = environment
    // Nobody has a trace of what operators look at.
    tracer = desk == nil ? SessionTracer() : nil
    compressor = Compressor(environment)
    self.apps = Dictionary(apps.map { (ExactString($0.name), $0) }) { first, _ in
      preconditionFailure("two apps have the name \"\(first.name)\"")
    }
    appNames = self.apps.keys.sorted().map(\.string)
    ends = EndReporters(apps, environment, logger)
    offersEcho = settings.echo
    connections = ConnectionCounter(
      limit: settings.limits.connections, limitPerAddress: settings.limits.connectionsPerAddress)
    newSessions = RateBudget(perMinute: settings.limits.newSessionsPerMinute)
    newSessionsOfPersons = RateBudget(perMinute: settings.limits.newSessionsPerMinute)
    failedSignIns = RateBudget(perMinute: settings.limits.failedSignInsPerMinute)
    connectionsOfPersons = PersonCounter(limit: settings.limits.connectionsPerIdentity)
    authentications = authenticator.map {
      Authentications($0, environment, patience: settings.timeouts.authenticationSeconds)
    }
    self.logger = logger
    inForce = Mutex(Rules(settings, listeningAt: settings.host, RefusalLog(logger, environment.time)))
    recordings =
      settings.recordDirectory.isEmpty
      ? nil
      : RecordingFolder(
        settings.recordDirectory, keeping: RecordingRetention(settings.recordings), logger, metrics, environment)
    recordingsOnDemand = OnDemandRecordings(settings, logger, metrics, environment)
  }

  /// Makes what records a session that comes into memory.
  ///
  /// - Parameter session: the session.
  /// - Returns: the recorder; nil if the session is not recorded.
  func makeRecorder(of session: SessionIdentity) -> TransactionRecorder? {
    if let recordings { return recordings.makeRecorder(of: session) }
    return recordingsOnDemand.makeRecorder(of: session)
  }

  /// Has a session recorded from its next return to memory on, for a day.
  ///
  /// - Parameter session: the session's name.
  /// - Returns: the directory that the recording is in.
  /// - Throws: ``StoreError`` if the directory cannot be made, or if too many sessions are recorded.
  func recordOnDemand(_ session: String) throws(StoreError) -> String {
    if let recordings { return recordings.path }
    return try recordingsOnDemand.add(session)
  }

  /// Writes what recordings wait to be written.
  func flushRecordings() {
    recordings?.flush()
    recordingsOnDemand.flush()
  }

  /// The number that an app is counted under.
  ///
  /// - Parameter name: its name.
  /// - Returns: its place among ``appNames``; the number of these if it is not among them.
  func number(ofApp name: String) -> Int { appNames.firstIndex(of: name) ?? appNames.count }

  /// The program, as it tells itself from others.
  var program: String { cluster?.program ?? environment.program ?? Executable.mark }

  /// Sets what signs persons out.
  func willSignOut(by signOuts: SignOuts) { self.signOuts = signOuts }

  /// Sets the nodes with which this server shares its store.
  func willJoin(_ cluster: Cluster) { self.cluster = cluster }

  /// Whether others may have taken this server's sessions, as it was not heard of for long.
  ///
  /// - Parameter now: nanoseconds of the clock that never jumps.
  /// - Returns: false for a server that shares its store with nobody.
  func isSuspended(at now: UInt64) -> Bool { cluster?.isSuspended(at: now) ?? false }

  /// Takes note where the server listens.
  ///
  /// - Parameter address: as it was bound.
  func willListen(at address: String) { inForce.withLock { $0 = $0.listening(at: address) } }

  /// The greater debt of a place and a person, in nanoseconds.
  func debt(of place: Place?, _ person: Identity?, at now: UInt64) -> UInt64 {
    max(
      place.map { effort.wait(of: .place($0), at: now) } ?? 0,
      person.map { effort.wait(of: .person(PersonID($0)), at: now) } ?? 0)
  }

  /// Charges what a client has used to its place and its person.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - dues: nanoseconds of their budget.
  ///   - place: the client's place; nil if it has none.
  ///   - person: the person behind the client; nil for nobody.
  ///   - now: nanoseconds of a monotonic clock.
  /// - Returns: the greater debt of the two, in nanoseconds.
  func charge(_ dues: UInt64, to place: Place?, _ person: Identity?, at now: UInt64) -> UInt64 {
    guard dues > 0 else { return 0 }
    let wait = place.map { effort.charge(dues, to: .place($0), at: now) } ?? 0
    return max(wait, person.map { effort.charge(dues, to: .person(PersonID($0)), at: now) } ?? 0)
  }

  // MARK: Settings

  /// The settings in force, with what is made of them; on a loop ``Workspace/rules`` is the same.
  var rules: Rules { inForce.withLock { $0 } }

  /// The settings in force; on a loop they are in ``Workspace/rules``.
  var settings: ServerSettings { inForce.withLock { $0.settings } }

  /// Replaces the settings in force: those that all loops share at once, the others once a loop follows ``rules``.
  ///
  /// - Parameters:
  ///   - settings: the new ones.
  ///   - authenticator: what finds the persons behind clients from now on; nil for the same as before.
  func replace(_ settings: ServerSettings, _ authenticator: (any SessionAuthenticator)?) {
    inForce.withLock { $0 = $0.replacing(settings) }
    let limits = settings.limits
    connections.setLimits(limits.connections, perAddress: limits.connectionsPerAddress)
    newSessions.setRate(perMinute: limits.newSessionsPerMinute)
    newSessionsOfPersons.setRate(perMinute: limits.newSessionsPerMinute)
    failedSignIns.setRate(perMinute: limits.failedSignInsPerMinute)
    connectionsOfPersons.setLimit(limits.connectionsPerIdentity)
    authentications?.replace(authenticator, patience: settings.timeouts.authenticationSeconds)
    signOuts?.keep(forSessionsOf: settings.sessions.timeToLiveSeconds)
  }
}
