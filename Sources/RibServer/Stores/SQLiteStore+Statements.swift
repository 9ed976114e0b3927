import GRDB

extension SQLiteStore {
  /// The statements that a store runs.
  struct Statements {
    // Writing.
    let insertSession: SQLiteStatement
    let updateSession: SQLiteStatement
    let updateProgress: SQLiteStatement
    let insertProgress: SQLiteStatement
    let deleteProgress: SQLiteStatement
    let upsertNode: SQLiteStatement
    let updateState: SQLiteStatement
    let replaceState: SQLiteStatement
    let updateChildren: SQLiteStatement
    let updateEffects: SQLiteStatement
    let insertChange: SQLiteStatement
    let deleteChanges: SQLiteStatement
    let deleteNode: SQLiteStatement
    let insertNack: SQLiteStatement
    let deleteNacks: SQLiteStatement
    let deleteCrash: SQLiteStatement
    // Reading.
    let takeSession: SQLiteStatement
    let resumeSession: SQLiteStatement
    let selectSession: SQLiteStatement
    let selectNodes: SQLiteStatement
    let selectChanges: SQLiteStatement
    let selectNacks: SQLiteStatement
    let selectCrashes: SQLiteStatement
    // Leaving.
    let deleteSession: SQLiteStatement
    let noteAbsence: SQLiteStatement
    let findExpired: SQLiteStatement
    let countRows: SQLiteStatement
    let deleteExpired: SQLiteStatement
    let closeExpired: SQLiteStatement
    let deleteSomeChanges: SQLiteStatement
    let deleteSomeNodes: SQLiteStatement
    // Persons.
    let countOfPlace: SQLiteStatement
    let countOfPerson: SQLiteStatement
    let insertPerson: SQLiteStatement
    let insertRevocation: SQLiteStatement
    let deleteRevocations: SQLiteStatement
    let selectRevocation: SQLiteStatement
    let selectRevocations: SQLiteStatement
    let moveProgress: SQLiteStatement
    let fenceSessions: SQLiteStatement
    // The file.
    let freePages: SQLiteStatement
    let allPages: SQLiteStatement
    let pageSize: SQLiteStatement
    let countSessions: SQLiteStatement
    let vacuum: SQLiteStatement
    let selectTime: SQLiteStatement
    let noteTime: SQLiteStatement
    let noteServer: SQLiteStatement
    let selectServers: SQLiteStatement

    /// Statements that are not prepared.
    init(_ database: Database) {
      let statement = { (sql: String) in SQLiteStatement(sql, database) }
      insertSession = statement(SQL.insertSession)
      updateSession = statement(SQL.updateSession)
      updateProgress = statement(SQL.updateProgress)
      insertProgress = statement(SQL.insertProgress)
      deleteProgress = statement("DELETE FROM change WHERE session = ? AND node = 0 AND seq = 0")
      upsertNode = statement(SQL.upsertNode)
      updateState = statement("UPDATE node SET version = ?, state = ? WHERE session = ? AND id = ?")
      replaceState = statement("UPDATE change SET ops = ? WHERE session = ? AND node = ? AND seq = 0")
      updateChildren = statement("UPDATE node SET children = ? WHERE session = ? AND id = ?")
      updateEffects = statement("UPDATE node SET effects = ? WHERE session = ? AND id = ?")
      // One that is there already is the same.
      insertChange = statement("INSERT OR IGNORE INTO change (session, node, seq, ops) VALUES (?, ?, ?, ?)")
      deleteChanges = statement("DELETE FROM change WHERE session = ? AND node = ?")
      deleteNode = statement("DELETE FROM node WHERE session = ? AND id = ?")
      insertNack = statement("INSERT OR IGNORE INTO nack (session, client, n, code, message) VALUES (?, ?, ?, ?, ?)")
      deleteNacks = statement("DELETE FROM nack WHERE session = ? AND client = ? AND n <= ?")
      deleteCrash = statement("DELETE FROM crash WHERE session = ? AND client = ? AND n = ?")
      takeSession = statement(SQL.takeSession)
      resumeSession = statement(
        "UPDATE session SET lease = ?, version = 0, holder = ?, seen = ?, clients = ?, invitations = ? WHERE id = ?")
      selectSession = statement(SQL.selectSession)
      selectNodes = statement("SELECT id, type, version, state, children, effects FROM node WHERE session = ?")
      selectChanges = statement(SQL.selectChanges)
      selectNacks = statement("SELECT client, n, code, message FROM nack WHERE session = ? ORDER BY client, n")
      selectCrashes = statement("SELECT client, n, count FROM crash WHERE session = ?")
      deleteSession = statement("DELETE FROM session WHERE id = ? AND lease = ?")
      noteAbsence = statement("UPDATE session SET holder = 0, seen = ? WHERE id = ? AND lease = ?")
      findExpired = statement(SQL.findExpired)
      countRows = statement(SQL.countRows)
      deleteExpired = statement("DELETE FROM session WHERE \(SQL.isExpired) RETURNING sid, app")
      closeExpired = statement(SQL.closeExpired)
      deleteSomeChanges = statement(SQL.deleteSomeChanges)
      deleteSomeNodes = statement(SQL.deleteSomeNodes)
      countOfPlace = statement("SELECT count(*) FROM session WHERE place = ? AND sid <> ?")
      countOfPerson = statement(SQL.countOfPerson)
      insertPerson = statement(SQL.insertPerson)
      insertRevocation = statement(SQL.insertRevocation)
      deleteRevocations = statement("DELETE FROM revocation WHERE time < ?")
      selectRevocation = statement("SELECT time, mark FROM revocation WHERE subject = ? AND issuer = ?")
      selectRevocations = statement(SQL.selectRevocations)
      moveProgress = statement(SQL.moveProgress)
      fenceSessions = statement(SQL.fenceSessions)
      freePages = statement("PRAGMA freelist_count")
      allPages = statement("PRAGMA page_count")
      pageSize = statement("PRAGMA page_size")
      countSessions = statement("SELECT count(*) FROM session")
      vacuum = statement("PRAGMA incremental_vacuum(64)")
      selectTime = statement("SELECT shift, seen FROM clock")
      noteTime = statement("UPDATE clock SET shift = ?, seen = ?")
      noteServer = statement("INSERT INTO server VALUES (?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen")
      selectServers = statement("SELECT number, seen FROM server WHERE number <> ?")
    }
  }

  /// The longer ones.
  enum SQL {
    /// The life is only of interest if the session rests.
    static let insertSession = """
      INSERT INTO session (sid, app, parameters, lease, version, rev, root, lastNode, transactions, clients, invitations,
          acted, holder, seen, epoch, viewHash, program, place, life)
        VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?17, ?18, (SELECT number FROM life))
        ON CONFLICT (sid) DO UPDATE SET version = excluded.version, rev = excluded.rev, root = excluded.root,
          lastNode = excluded.lastNode, transactions = excluded.transactions, clients = excluded.clients,
          invitations = excluded.invitations, acted = excluded.acted, holder = excluded.holder, seen = excluded.seen,
          epoch = excluded.epoch, viewHash = excluded.viewHash, program = excluded.program, life = excluded.life
        WHERE lease = 1 AND holder IN (0, ?16) AND version <= excluded.version
          AND NOT EXISTS (SELECT 1 FROM change AS progress WHERE progress.session = session.id AND node = 0 AND seq = 0
            AND progress.lease = session.lease AND progress.version > excluded.version)
        RETURNING id
      """
    static let updateSession = """
      UPDATE session SET rev = ?1, root = ?2, lastNode = ?3, transactions = ?4, clients = ?5, invitations = ?6,
        acted = ?7, holder = ?8, seen = ?9, epoch = ?10, viewHash = ?11, program = ?15, version = ?14,
        life = iif(?10 IS NULL, life, (SELECT number FROM life)) WHERE id = ?12 AND lease = ?13 AND version <= ?14
        AND NOT EXISTS (
          SELECT 1 FROM change WHERE session = ?12 AND node = 0 AND seq = 0 AND lease = ?13 AND version > ?14)
      """
    /// What most commits run.
    static let updateProgress = """
      UPDATE change SET rev = ?1, root = ?2, lastNode = ?3, transactions = ?4, ops = ?5, version = ?6
        WHERE session = ?7 AND node = 0 AND seq = 0 AND lease = ?8 AND version <= ?6
      """
    /// What a session's first commit runs behind `updateProgress`, if it has no row of progress under its lease.
    static let insertProgress = """
      INSERT OR REPLACE INTO change (rev, root, lastNode, transactions, ops, version, session, lease, node, seq)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, id, lease, 0, 0 FROM session WHERE id = ?7 AND lease = ?8 AND version <= ?6
          AND NOT EXISTS (SELECT 1 FROM change WHERE session = ?7 AND node = 0 AND seq = 0 AND lease = ?8)
      """
    static let takeSession = """
      UPDATE session SET lease = ?, version = 0, holder = ?, rev = ?, root = ?, lastNode = ?, transactions = ?, clients = ?,
        invitations = ?, epoch = NULL, viewHash = NULL WHERE id = ?
      """
    static let upsertNode = """
      INSERT INTO node (session, id, type, version, state, children, effects) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET version = excluded.version, state = excluded.state, children = excluded.children,
        effects = excluded.effects
      """
    static let selectSession = """
      SELECT id, session.lease, app, parameters, coalesce(progress.rev, session.rev), coalesce(progress.root, session.root),
        coalesce(progress.lastNode, session.lastNode), coalesce(progress.transactions, session.transactions), clients,
        invitations, acted, holder, seen, epoch, viewHash, life = (SELECT number FROM life), program, ops
        FROM session LEFT JOIN change AS progress ON progress.session = id AND node = 0 AND seq = 0
          AND progress.lease = session.lease WHERE sid = ?
      """
    /// In the order of the key, so that nothing is sorted; the session's progress is the last row.
    static let selectChanges = "SELECT node, seq, ops FROM change WHERE session = ? ORDER BY node DESC, seq"
    /// Sessions that no process holds: untouched ones and others, each with a time of its own.
    static let findExpired = """
      SELECT id FROM session WHERE holder = 0 AND acted = 0 AND seen < ?
      UNION ALL SELECT id FROM session WHERE holder = 0 AND acted = 1 AND seen < ? LIMIT ?
      """
    /// Whether one of them still is to be forgotten.
    static let isExpired = "id = ?1 AND holder = 0 AND seen < iif(acted, ?2, ?3)"
    /// How many rows a session has, counted up to a limit.
    static let countRows = """
      SELECT count(*) FROM (
        SELECT 1 FROM node WHERE session = ?1 UNION ALL SELECT 1 FROM change WHERE session = ?1 LIMIT ?2)
      """
    /// No search finds it, and no token opens it.
    static let closeExpired = """
      UPDATE session SET sid = '-' || ltrim(sid, '-'), lease = lease + 1, clients = '[]',
        invitations = '[]', acted = 0, seen = 0 WHERE \(isExpired)
      """
    static let deleteSomeChanges = """
      DELETE FROM change WHERE session = ?1
        AND (node, seq) IN (SELECT node, seq FROM change WHERE session = ?1 LIMIT ?2)
      """
    static let countOfPerson = """
      SELECT count(*) FROM person JOIN session ON session.id = person.session
        LEFT JOIN revocation USING (subject, issuer)
        WHERE subject = ? AND issuer = ? AND sid <> ? AND since > coalesce(mark, since - 1)
      """
    static let insertPerson = """
      INSERT INTO person (subject, issuer, session, since) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET since = max(since, excluded.since)
      """
    static let selectRevocations = """
      SELECT id, subject, issuer, time, mark FROM revocation WHERE id > ? ORDER BY id
      """
    /// A row that is replaced gets a new number: so processes that have read the former one read it again.
    static let insertRevocation = """
      INSERT OR REPLACE INTO revocation (subject, issuer, time, mark)
        SELECT ?1, ?2, max(?3, coalesce((SELECT time FROM revocation WHERE subject = ?1 AND issuer = ?2), ?3)),
          max(?4, coalesce((SELECT mark + 1 FROM revocation WHERE subject = ?1 AND issuer = ?2), ?4),
            coalesce((SELECT max(since) FROM person WHERE subject = ?1 AND issuer = ?2), ?4))
        RETURNING time, mark
      """
    /// The sessions of a person's clients that other processes hold.
    private static let fenced = """
      holder NOT IN (0, ?3) AND id IN (SELECT session FROM person WHERE subject = ?1 AND issuer = ?2)
      """
    /// Moves the progress of a session to the lease that the session gets: without that it would be ignored.
    static let moveProgress = """
      UPDATE change SET lease = lease + 1 WHERE node = 0 AND seq = 0 AND EXISTS (
        SELECT 1 FROM session WHERE session.id = change.session AND session.lease = change.lease AND \(fenced))
        AND session IN (SELECT session FROM person WHERE subject = ?1 AND issuer = ?2)
      """
    static let fenceSessions = "UPDATE session SET lease = lease + 1, holder = 0, seen = ?4 WHERE \(fenced)"
    static let deleteSomeNodes = """
      DELETE FROM node WHERE session = ?1 AND id IN (SELECT id FROM node WHERE session = ?1 LIMIT ?2)
      """
  }
}
