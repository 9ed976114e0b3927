import GRDB

extension SQLiteStore {
  /// The tables, and how a file of an earlier version gets them.
  ///
  /// A step that was released is never changed.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          -- One row a session. A session is written by whoever has the lease; no number is used for a second one, so that a
          -- lease is never that of another session. It is in the memory of the process `holder`, or a client waits there for
          -- it; 0 is nobody.
          CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT, sid TEXT NOT NULL UNIQUE, lease INTEGER NOT NULL,
            app TEXT NOT NULL, parameters TEXT,
            rev INTEGER NOT NULL, root INTEGER NOT NULL, lastNode INTEGER NOT NULL, transactions INTEGER NOT NULL,
            clients TEXT NOT NULL, invitations TEXT NOT NULL,
            acted INTEGER NOT NULL, holder INTEGER NOT NULL, seen INTEGER NOT NULL,
            epoch TEXT, viewHash TEXT, life INTEGER NOT NULL);
          -- What may be forgotten one day, by when it was used last.
          CREATE INDEX sessionSeen ON session(acted, seen) WHERE holder = 0;
          -- One row a riblet.
          CREATE TABLE node (
            session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, id INTEGER NOT NULL,
            type TEXT NOT NULL, version INTEGER NOT NULL, state TEXT, children TEXT, effects TEXT,
            PRIMARY KEY (session, id)) WITHOUT ROWID;
          -- Refusals that a client has not acknowledged.
          CREATE TABLE nack (
            session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, client INTEGER NOT NULL,
            n INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
            PRIMARY KEY (session, client, n)) WITHOUT ROWID;
          -- What ran when a server died: an action, or without a client (0) a session that was waking (n is 0), or what an
          -- effect had sent (n is the effect's number).
          CREATE TABLE crash (
            session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, client INTEGER NOT NULL,
            n INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (session, client, n)) WITHOUT ROWID;
          -- The processes that have the file, and when they were seen last, in seconds since 1970. One that is here and does
          -- not run has died.
          CREATE TABLE server (number INTEGER PRIMARY KEY, seen INTEGER NOT NULL);
          -- How often one has died. What clients saw of a session since it left memory in an earlier life may be lost: its
          -- revisions are of another epoch then.
          CREATE TABLE life (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
          INSERT INTO life VALUES (1, 1);
          """)
    }
    migrator.registerMigration("2") { database in
      try database.execute(
        sql: """
          -- What has changed in a riblet's state since its base, which is `node.state`: operations of RFC 6902, counted from 1.
          CREATE TABLE change (
            session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, node INTEGER NOT NULL,
            seq INTEGER NOT NULL, ops TEXT NOT NULL,
            PRIMARY KEY (session, node, seq)) WITHOUT ROWID;
          """)
    }
    return migrator
  }

  /// The statements that a store runs, prepared once.
  struct Statements {
    let savepoint: SQLiteStatement
    let release: SQLiteStatement
    let rollBack: SQLiteStatement
    let insertSession: SQLiteStatement
    let updateSession: SQLiteStatement
    let upsertNode: SQLiteStatement
    let updateState: SQLiteStatement
    let updateChildren: SQLiteStatement
    let updateEffects: SQLiteStatement
    let deleteNode: SQLiteStatement
    let insertChange: SQLiteStatement
    let deleteChanges: SQLiteStatement
    let insertNack: SQLiteStatement
    let deleteNacks: SQLiteStatement
    let raiseLease: SQLiteStatement
    let selectSession: SQLiteStatement
    let selectNodes: SQLiteStatement
    let selectChanges: SQLiteStatement
    let selectNacks: SQLiteStatement
    let selectCrashes: SQLiteStatement
    let deleteCrash: SQLiteStatement
    let deleteSession: SQLiteStatement
    let expire: SQLiteStatement
    let noteAbsence: SQLiteStatement
    let noteServer: SQLiteStatement

    /// Forgets so many sessions that nobody has: untouched ones and others, each with a time of its own.
    static let expireSQL = """
      DELETE FROM session WHERE id IN (
        SELECT id FROM session WHERE holder = 0 AND acted = 0 AND seen < ?
        UNION ALL SELECT id FROM session WHERE holder = 0 AND acted = 1 AND seen < ? LIMIT ?)
      """

    /// Prepares them.
    ///
    /// - Throws: `DatabaseError`.
    init(_ database: Database) throws {
      let prepare = { (sql: String) in try SQLiteStatement(sql, database) }
      savepoint = try prepare("SAVEPOINT session")
      release = try prepare("RELEASE session")
      rollBack = try prepare("ROLLBACK TO session")
      insertSession = try prepare(
        """
        INSERT INTO session (sid, app, parameters, lease, rev, root, lastNode, transactions, clients, invitations, acted,
          holder, seen, epoch, viewHash, life)
          VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT number FROM life))
        """)
      updateSession = try prepare(
        """
        UPDATE session SET rev = ?, root = ?, lastNode = ?, transactions = ?, clients = ?, invitations = ?, acted = ?,
          holder = ?, seen = ?, epoch = ?, viewHash = ?,
          life = (SELECT number FROM life) WHERE id = ? AND lease = ?
        """)
      upsertNode = try prepare(
        """
        INSERT INTO node (session, id, type, version, state, children, effects) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET version = excluded.version, state = excluded.state, children = excluded.children,
          effects = excluded.effects
        """)
      updateState = try prepare("UPDATE node SET version = ?, state = ? WHERE session = ? AND id = ?")
      updateChildren = try prepare("UPDATE node SET children = ? WHERE session = ? AND id = ?")
      updateEffects = try prepare("UPDATE node SET effects = ? WHERE session = ? AND id = ?")
      deleteNode = try prepare("DELETE FROM node WHERE session = ? AND id = ?")
      // One that is there already is the same.
      insertChange = try prepare("INSERT OR IGNORE INTO change (session, node, seq, ops) VALUES (?, ?, ?, ?)")
      deleteChanges = try prepare("DELETE FROM change WHERE session = ? AND node = ?")
      insertNack = try prepare("INSERT OR IGNORE INTO nack (session, client, n, code, message) VALUES (?, ?, ?, ?, ?)")
      deleteNacks = try prepare("DELETE FROM nack WHERE session = ? AND client = ? AND n <= ?")
      raiseLease = try prepare("UPDATE session SET lease = ?, epoch = NULL, viewHash = NULL WHERE id = ?")
      selectSession = try prepare(
        """
        SELECT id, lease, app, parameters, rev, root, lastNode, transactions, clients, invitations, acted, holder, seen,
          epoch, viewHash, life = (SELECT number FROM life) FROM session WHERE sid = ?
        """)
      selectNodes = try prepare("SELECT id, type, version, state, children, effects FROM node WHERE session = ?")
      selectChanges = try prepare("SELECT node, seq, ops FROM change WHERE session = ? ORDER BY node, seq")
      selectNacks = try prepare("SELECT client, n, code, message FROM nack WHERE session = ? ORDER BY client, n")
      selectCrashes = try prepare("SELECT client, n, count FROM crash WHERE session = ?")
      deleteCrash = try prepare("DELETE FROM crash WHERE session = ? AND client = ? AND n = ?")
      deleteSession = try prepare("DELETE FROM session WHERE id = ? AND lease = ?")
      expire = try prepare(Self.expireSQL)
      noteAbsence = try prepare("UPDATE session SET holder = 0, seen = ? WHERE id = ? AND lease = ?")
      noteServer = try prepare("INSERT INTO server VALUES (?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen")
    }
  }
}
