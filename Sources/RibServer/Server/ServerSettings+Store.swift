import Logging
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ServerSettings {
  /// The number of loops.
  var loopCount: Int { loops > 0 ? loops : max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

  /// Opens the store for sessions and, if it outlives the process, the recorder of what runs.
  ///
  /// - Parameters:
  ///   - stores: the kinds of stores that the server has besides its own.
  ///   - loopCount: the number of loops.
  ///   - logger: told what ran when an earlier process died, and what other processes run.
  ///   - environment: what the store tells the time by.
  ///   - isPrivate: whether a state directory is refused that others than its user may read or write.
  /// - Returns: both, and the nodes that share the store.
  /// - Throws: ``StoreError`` or ``SystemError``.
  func openStore(
    _ stores: [ExternalStore] = [], loopCount: Int, _ logger: Logger, _ environment: Environment = .system,
    isPrivate: Bool = false
  ) throws -> OpenedStore {
    switch store {
    case .memory:
      let store = MemoryStore(clock: environment.time)
      _ = store.begin(StoreStart())
      return OpenedStore(store: store)
    case .sqlite:
      try makeStateDirectory(isPrivate: isPrivate, logger)
      let store = try SQLiteStore(
        path: "\(stateDirectory)/\(SQLiteStore.fileName)", durability: durability == .disk ? .disk : .process,
        clock: environment.time)
      return try begin(store, loopCount, logger, environment)
    case .postgres:
      let kind = try checkDatabase(stores)
      try makeStateDirectory(isPrivate: isPrivate, logger)
      let store = try kind.open(storeURL, environment.time)
      var opened = try begin(store, loopCount, logger, environment)
      opened.hasHistory = true
      opened.cluster = Cluster(opened.id, mark: opened.mark, in: kind.directory(storeURL), environment, logger)
      return opened
    }
  }

  /// Makes sure that there is a store in PostgreSQL, and that it is said where.
  ///
  /// - Parameter stores: the kinds of stores that the program has besides the server's own.
  /// - Returns: the kind.
  /// - Throws: ``StoreError``.
  @discardableResult func checkDatabase(_ stores: [ExternalStore]) throws(StoreError) -> ExternalStore {
    guard let kind = stores.first(where: { $0.name == .postgres }) else {
      throw StoreError("This program has no store in PostgreSQL: start ribd-cluster, or a server with RibPostgres.")
    }
    guard !storeURL.isEmpty else {
      throw StoreError("A store in PostgreSQL needs to know where: say --store-url postgresql://…, or RIBD_STORE_URL.")
    }
    return kind
  }

  /// The directory of a store that is a file of its own, which can be copied and put back.
  ///
  /// - Throws: ``StoreError`` for another store, and says what to do about it.
  package var fileStoreDirectory: String {
    get throws(StoreError) {
      switch store {
      case .sqlite: stateDirectory
      case .memory: throw StoreError("Sessions are in the server's memory, and end with it: there is nothing to copy.")
      case .postgres:
        throw StoreError(
          "Sessions are in PostgreSQL: copy it with its own tools, such as pg_dump or pg_basebackup, and start one node "
            + "with --restored once you have put a copy back.")
      }
    }
  }

  /// Has a store take note of this process, and of what ran when processes of this state directory died.
  private func begin(
    _ store: any SessionStore, _ loopCount: Int, _ logger: Logger, _ environment: Environment
  ) throws -> OpenedStore {
    do {
      var opened = OpenedStore(store: store)
      let mark = Int(truncatingIfNeeded: environment.randomWord() >> 1)
      let flight = try FlightRecorder.open(in: stateDirectory, slotCount: loopCount) { start in
        var start = start
        start.isRestored = isRestored
        opened.hasHistory = start.starts.map { $0.count > 0 } ?? false
        start.mark = mark
        opened.mark = mark
        opened.id = try store.begin(start)
        store.log(start, environment.crashReports?.newest(since: start.lastStart), to: logger)
        opened.crashCount = start.crashes.count + start.appCrashes.count
        guard isRestored else { return }
        logger.warning("The session store counts as put back from a copy. Leave `restored` out at the next start.")
      }
      flight.note(process: mark)
      opened.flight = flight
      return opened
    } catch {
      store.close()
      throw error
    }
  }

  private func makeStateDirectory(isPrivate: Bool, _ logger: Logger) throws(StoreError) {
    try Self.makeDirectory(stateDirectory, "state directory", flag: "--state-dir")
    guard let fault = stateDirectoryFault else { return }
    guard !isPrivate else { throw fault }
    logger.warning("\(fault)")
  }

  /// What is wrong with a state directory that others than its user may read or write; nil also if there is none yet.
  package var stateDirectoryFault: StoreError? {
    store == .memory ? nil : Self.privacyFault(stateDirectory, "state directory")
  }

  private static func privacyFault(_ path: String, _ name: String) -> StoreError? {
    guard othersMay(0o066, path) else { return nil }
    return StoreError("The \(name) \(path) can be read or written by others than its user: chmod 700 \(path).")
  }

  /// Makes the directory for recordings, if there are to be any.
  ///
  /// - Parameter logger: told if others than its user may read or write it.
  /// - Throws: ``StoreError``.
  func makeRecordDirectory(_ logger: Logger) throws(StoreError) {
    guard !recordDirectory.isEmpty else { return }
    try Self.makeDirectory(recordDirectory, "directory for recordings", flag: "--record")
    if let fault = Self.privacyFault(recordDirectory, "directory for recordings") { logger.warning("\(fault)") }
  }

  /// Makes a directory, and those above it, for the server's user alone.
  static func makeDirectory(_ path: String, _ name: String, flag: String) throws(StoreError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part + "/"
      // A path with a slash at its end exists only if it is a directory's.
      guard mkdir(made, 0o700) != 0, errno != EEXIST || access(made, F_OK) != 0 else { continue }
      let reason = String(cString: strerror(errno))
      throw StoreError(
        "The \(name) \(path) cannot be made: \(made): \(reason). Choose another with \(flag).")
    }
  }
}

/// The store for sessions, and what goes with it.
struct OpenedStore {
  let store: any SessionStore
  /// The number that the store knows this process by.
  var id = 0
  /// The number that this process has drawn at random: by it the next one with the same state directory tells the store that it has died.
  var mark = 0
  /// The recorder of what runs; nil if nothing outlives the process.
  var flight: FlightRecorder?
  /// How many activities were found during which processes had died.
  var crashCount = 0
  /// Whether there may be sessions of processes before this one.
  var hasHistory = false
  /// The nodes that share the store; nil for a store of one machine.
  var cluster: Cluster?
}
