import Foundation

@testable import RibPostgres

/// Watches in the database that each row of a session is written by the process alone that has its lease.
///
/// Processes are told apart by the names of their connections. It has triggers, which run in the transactions that they look at: what one writes
/// that is not committed has not happened.
struct LeaseWatch {
  private static let statements = [
    "ALTER TABLE rib_session ADD COLUMN writer text",
    "UPDATE rib_session SET writer = current_setting('application_name')",
    "CREATE TABLE foreign_write (session int8, lease int8, owner text, writer text, what text)",
    """
    CREATE FUNCTION watch_session() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE name text := current_setting('application_name');
    BEGIN
      IF TG_OP = 'INSERT' OR NEW.lease > OLD.lease THEN
        NEW.writer := name;
      ELSIF OLD.writer <> name OR NEW.lease < OLD.lease OR NEW.version < OLD.version THEN
        INSERT INTO foreign_write VALUES (OLD.id, OLD.lease, OLD.writer, name, format('version %s after %s', NEW.version, OLD.version));
      END IF;
      RETURN NEW;
    END $$
    """,
    """
    CREATE FUNCTION watch_riblet() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE name text := current_setting('application_name');
    BEGIN
      INSERT INTO foreign_write SELECT id, lease, s.writer, name, 'a riblet' FROM rib_session s
        WHERE id = coalesce(NEW.session, OLD.session) AND s.writer <> name;
      RETURN coalesce(NEW, OLD);
    END $$
    """,
    "CREATE TRIGGER watch BEFORE INSERT OR UPDATE ON rib_session FOR EACH ROW EXECUTE FUNCTION watch_session()",
    "CREATE TRIGGER watch BEFORE INSERT OR UPDATE OR DELETE ON rib_riblet FOR EACH ROW EXECUTE FUNCTION watch_riblet()",
  ]

  /// Begins to watch.
  ///
  /// - Parameter connection: to a database whose tables are there.
  /// - Throws: ``PostgresError``.
  static func begin(_ connection: PostgresConnection) throws(PostgresError) {
    for sql in statements { _ = try connection.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))]) }
  }

  /// What was written by a process that had no lease.
  ///
  /// - Parameter connection: to the database.
  /// - Returns: a sentence for each row that was written.
  /// - Throws: ``PostgresError``.
  static func deviations(_ connection: PostgresConnection) throws(PostgresError) -> [String] {
    let query = PostgresQuery(
      "SELECT session, lease, owner, writer, what FROM foreign_write", isPrepared: false)
    return try connection.run([PostgresStatement(query)])[0].rows.map { row in
      "Row \(row.integer(0)) is \(row.text(2))'s by lease \(row.integer(1)), and \(row.text(3)) has written it: \(row.text(4))."
    }
  }
}
