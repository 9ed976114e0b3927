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
          -- Counts what was written under the lease.
          ALTER TABLE session ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
          -- The program in which it rests on when a client comes back; without one it has to be loaded then.
          ALTER TABLE session ADD COLUMN program TEXT;
          -- Those that a process holds.
          CREATE INDEX sessionHolder ON session(holder) WHERE holder <> 0;
          -- With `holder` in it, old sessions are found without a look at their rows, which may be damaged.
          DROP INDEX sessionSeen;
          CREATE INDEX sessionSeen ON session(holder, acted, seen) WHERE holder = 0;
          -- With rows of their own: without, whoever looks for a riblet reads the whole states of those beside it, which takes
          -- three times as long for states of 2 KB, and meets their damage.
          ALTER TABLE node RENAME TO oldNode;
          CREATE TABLE node (
            session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, id INTEGER NOT NULL,
            type TEXT NOT NULL, version INTEGER NOT NULL, state TEXT, children TEXT, effects TEXT,
            PRIMARY KEY (session, id));
          INSERT INTO node SELECT session, id, type, version, state, children, effects FROM oldNode;
          DROP TABLE oldNode;
          -- All that nearly every commit writes: small rows, of which many lie in a page, as a commit writes each page that it
          -- touches whole.
          --
          -- Of a node: what has changed of its state since its row in `node` was written, in order. A small state is here itself,
          -- as number 0, and the row in `node` has an empty text for it.
          --
          -- Of node 0, which no tree has: the session's progress, which is what the session's own row does not have yet. Only this
          -- row uses the columns behind `ops`, and its `ops` has each client's try and number. The order of the key puts it behind the
          -- last change of node 1, which is the root as a rule: what an action changes of it lies in one page, however many changes
          -- there are.
          CREATE TABLE change (
            session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, node INTEGER NOT NULL,
            seq INTEGER NOT NULL, ops TEXT NOT NULL,
            lease INTEGER, version INTEGER, rev INTEGER, root INTEGER, lastNode INTEGER, transactions INTEGER,
            PRIMARY KEY (session, node DESC, seq)) WITHOUT ROWID;
          INSERT INTO change (session, node, seq, ops)
            SELECT session, id, 0, state FROM node WHERE length(CAST(state AS BLOB)) BETWEEN 1 AND 512;
          UPDATE node SET state = '' WHERE length(CAST(state AS BLOB)) BETWEEN 1 AND 512;
          -- The time that `seen` is in: what it is beside the system's seconds since 1970, and what it was when a process was
          -- there last. It stands still while none is.
          CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), shift INTEGER NOT NULL, seen INTEGER NOT NULL);
          INSERT INTO clock VALUES (1, 0, max(
            coalesce((SELECT max(seen) FROM server), 0), coalesce((SELECT max(seen) FROM session), 0)));
          """)
    }
    migrator.registerMigration("3") { database in
      try database.execute(
        sql: """
          -- Persons who were signed out, and when, in seconds since 1970; clients that were bound to them with that mark or a lower one
          -- are out. The number grows with each time, also of one person.
          CREATE TABLE revocation (
            id INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, issuer TEXT NOT NULL, time INTEGER NOT NULL,
            mark INTEGER NOT NULL, UNIQUE (subject, issuer));
          -- Which sessions have clients of a person, so that they are found when it is signed out, and the highest mark of these.
          CREATE TABLE person (
            subject TEXT NOT NULL, issuer TEXT NOT NULL,
            session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, since INTEGER NOT NULL,
            PRIMARY KEY (subject, issuer, session)) WITHOUT ROWID;
          CREATE INDEX personSession ON person(session);
          -- The place that a session was begun from, if it counts to one.
          ALTER TABLE session ADD COLUMN place TEXT;
          CREATE INDEX sessionPlace ON session(place) WHERE place IS NOT NULL;
          """)
    }
    return migrator
  }
}
