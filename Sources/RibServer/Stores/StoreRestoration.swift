import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A session store that was put back from a copy, so that its clients can come back to it.
///
/// The copy is older than what clients and services have seen. So no client's view is taken for the session's any more, no session
/// counts as held by the process that held it when the copy was made, none ages by what has passed since, and persons who were signed
/// out meanwhile stay so. The keys of effects need nothing: they differ each time that a session comes into memory.
package struct StoreRestoration: Equatable, Sendable {
  /// The number of sessions that were put back.
  package let sessionCount: Int
  /// When a server noted the time last in what was copied, in seconds since 1970; nil if none has.
  package let time: Int?
  /// How many sign-outs of persons are newer than the copy, and were kept.
  package let signOutCount: Int
  /// Where the store is that was replaced; nil if there was none.
  package let replaced: String?

  /// How far leases are raised: further than a lost hour of the store has raised any.
  private static let leaseStep = 1000

  /// Puts a copy in the place of a directory's store, which is kept under another name.
  ///
  /// - Parameters:
  ///   - file: the copy; it stays as it is.
  ///   - directory: the state directory, which is made if there is none; no server may use it.
  ///   - isForced: whether a store is replaced whose sign-outs cannot be read, as it is damaged.
  /// - Throws: ``StoreError`` that says what to do. The store is as it was then.
  package init(from file: String, to directory: String, force isForced: Bool = false) throws(StoreError) {
    do {
      try ServerSettings.makeDirectory(directory, "state directory", flag: "--state-dir")
      try Self.checkOwner(of: directory)
      defer { Self.giveToOwner(of: directory) }
      self = try FlightRecorder.whileIdle(in: directory) { try Self.put(file, in: directory, isForced) }
    } catch {
      throw error as? StoreError ?? StoreError(error)
    }
  }

  private init(_ sessionCount: Int, _ time: Int?, _ signOutCount: Int, _ replaced: String?) {
    (self.sessionCount, self.time, self.signOutCount, self.replaced) = (sessionCount, time, signOutCount, replaced)
  }

  /// A server could not open what another user has put into its directory.
  private static func checkOwner(of directory: String) throws(StoreError) {
    guard let owner = fileOwner(directory), geteuid() != 0, geteuid() != owner.user else { return }
    throw StoreError(
      "The state directory \(directory) belongs to the user \(owner.user): put the copy back as that user, or as root.")
  }

  /// Has what root has made in a directory belong to the directory's user, who the server runs as.
  private static func giveToOwner(of directory: String) {
    guard geteuid() == 0, let owner = fileOwner(directory) else { return }
    for name in fileNames(in: directory) ?? [] where name == SQLiteStore.fileName || name.hasPrefix("flight-") {
      guard fileOwner("\(directory)/\(name)")?.user == 0 else { continue }
      lchown("\(directory)/\(name)", owner.user, owner.group)
    }
  }

  private static func put(_ file: String, in directory: String, _ isForced: Bool) throws -> Self {
    let store = "\(directory)/\(SQLiteStore.fileName)"
    guard FileIdentity(file) == nil || FileIdentity(file) != FileIdentity(store) else {
      throw StoreError("\(file) is the session store itself: name a copy.")
    }
    let copy = try StoreCopy(of: file, besides: store) { database in
      guard try !SQLiteStore.migrator.hasBeenSuperseded(database) else {
        throw StoreError("\(file) was written by a newer version of this program: put it back with that one.")
      }
    }
    var old = ReplacedStore(store)
    do {
      let signOuts = try old.readSignOuts(force: isForced)
      let (time, kept) = try mend(copy.path, signOuts)
      try StoreCopy.sync(copy.path)
      let replaced = try old.setAside(force: isForced)
      try copy.put(at: store)
      return Self(copy.sessionCount, time, kept, replaced)
    } catch {
      old.putBack()
      copy.discard()
      throw error
    }
  }

  /// Makes of a copy what clients can come back to.
  ///
  /// - Returns: when a server noted the time last, and how many sign-outs it did not have.
  private static func mend(_ path: String, _ signOuts: [Revocation]) throws -> (time: Int?, kept: Int) {
    let queue = try DatabaseQueue(path: path, configuration: StoreCopy.configuration)
    defer { try? queue.close() }
    try SQLiteStore.migrator.migrate(queue)
    return try queue.write { database in
      let note = try SQLiteStore.readTime(database)
      try database.execute(sql: mendingSQL, arguments: ["step": leaseStep, "now": note.seen ?? 0])
      var kept = 0
      for signOut in signOuts {
        try database.execute(
          sql: keepSQL,
          arguments: [signOut.person.subject, signOut.person.issuer, signOut.secondsForStore, signOut.mark])
        kept += database.changesCount
      }
      return (note.seen.map { $0 - note.shift }, kept)
    }
  }

  /// The statements that mend a copy: the progress of a session moves to the lease that the session gets, as it would be ignored otherwise.
  ///
  /// A session that is being forgotten stays so.
  private static let mendingSQL = """
    UPDATE life SET number = number + 1;
    DELETE FROM server;
    UPDATE change SET lease = lease + :step WHERE node = 0 AND seq = 0
      AND lease = (SELECT lease FROM session WHERE session.id = change.session);
    UPDATE session SET lease = lease + :step, holder = 0, epoch = NULL, viewHash = NULL,
      seen = iif(sid LIKE '-%', seen, max(seen, :now));
    """

  private static let keepSQL = """
    INSERT INTO revocation (subject, issuer, time, mark) VALUES (?, ?, ?, ?)
      ON CONFLICT (subject, issuer) DO UPDATE SET time = max(time, excluded.time), mark = max(mark, excluded.mark)
      WHERE excluded.time > time OR excluded.mark > mark
    """
}
