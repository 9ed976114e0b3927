import RibCore
import RibServer
import Wire

/// What changes of the riblets, refusals, crashes and persons of several sessions.
///
/// Each statement touches only sessions whose row has the lease and the version of the cut: those that the statement before has written.
struct PostgresTree {
  private let writes: [(SessionLease, SessionCut)]

  /// Of these sessions.
  init(_ writes: [(SessionLease, SessionCut)]) { self.writes = writes }

  /// What is to be run; nothing for what does not change.
  var statements: [PostgresStatement] {
    var (removed, whole, parts, changes) = (
      Rows<NodeID>(), Rows<NodeCut>(), Rows<NodeCut>(), Rows<(NodeID, StatePatch)>()
    )
    var (nacks, acknowledged, survived, persons) = (
      Rows<SessionCut.Refusal>(), Rows<(Int, Int)>(), Rows<StoredSession.Crash>(), Rows<ClientProfile.Person>()
    )
    for (lease, cut) in writes {
      for id in cut.tree.removed { removed.append(id, lease, cut) }
      for node in cut.tree.changed {
        if node.children != nil, node.effects != nil, !node.state.goesOn {
          whole.append(node, lease, cut)
        } else if node.children != nil || node.effects != nil || node.state.base != nil {
          parts.append(node, lease, cut)
        }
        for change in node.state.changes { changes.append((node.id, change), lease, cut) }
      }
      for nack in cut.nacks { nacks.append(nack, lease, cut) }
      for (client, number) in cut.acknowledged { acknowledged.append((client, number), lease, cut) }
      for crash in cut.survived { survived.append(crash, lease, cut) }
      if !cut.isProgress { for person in cut.persons { persons.append(person, lease, cut) } }
    }
    return [
      removed.statement(Self.deleteNodes) { [.integers($0.map { Int64($0) })] },
      whole.statement(Self.upsertNodes) { nodes in
        [
          .integers(nodes.map { Int64($0.id) }), .texts(nodes.map(\.type)), .integers(nodes.map { Int64($0.version) }),
          .byteArrays(nodes.map(\.state.base)), .byteArrays(nodes.map(Self.children)),
          .byteArrays(nodes.map(Self.effects)),
        ]
      },
      parts.statement(Self.updateNodes) { nodes in
        [
          .integers(nodes.map { Int64($0.id) }), .integers(nodes.map { Int64($0.version) }),
          .flags(nodes.map { $0.state.base != nil }), .byteArrays(nodes.map(\.state.base)),
          .flags(nodes.map { $0.children != nil }), .byteArrays(nodes.map(Self.children)),
          .flags(nodes.map { $0.effects != nil }), .byteArrays(nodes.map(Self.effects)),
        ]
      },
      changes.statement(Self.appendChanges) { changes in
        [
          .integers(changes.map { Int64($0.0) }), .integers(changes.map { Int64($0.1.sequence) }),
          .byteArrays(changes.map(\.1.operations)),
        ]
      },
      nacks.statement(Self.insertNacks) { nacks in
        [
          .integers(nacks.map { Int64($0.client) }), .integers(nacks.map { Int64($0.nack.number) }),
          .texts(nacks.map(\.nack.code.rawValue)), .byteArrays(nacks.map { Array($0.nack.message.utf8) }),
        ]
      },
      acknowledged.statement(Self.deleteNacks) {
        [.integers($0.map { Int64($0.0) }), .integers($0.map { Int64($0.1) })]
      },
      survived.statement(Self.deleteCrashes) {
        [.integers($0.map { Int64($0.client) }), .integers($0.map { Int64($0.number) })]
      },
      persons.statement(Self.insertPersons) { persons in
        PostgresStore.names(of: persons.map { PersonID($0.identity) }) + [.integers(persons.map { Int64($0.since) })]
      },
    ].compactMap(\.self)
  }

  /// Values, each with its session.
  private struct Rows<Value> {
    private var values: [Value] = []
    private var (sessions, leases, versions) = ([Int64](), [Int64](), [Int64]())

    mutating func append(_ value: Value, _ lease: SessionLease, _ cut: SessionCut) {
      values.append(value)
      sessions.append(lease.row)
      leases.append(lease.number)
      versions.append(cut.version)
    }

    /// A statement whose first three parameters are the sessions, their leases and their versions; nil if there is no value.
    func statement(
      _ query: PostgresQuery, _ parameters: ([Value]) -> [PostgresParameter]
    ) -> PostgresStatement? {
      guard !values.isEmpty else { return nil }
      return PostgresStatement(
        query, [.integers(sessions), .integers(leases), .integers(versions)] + parameters(values))
    }
  }

  private static func children(_ node: NodeCut) -> [UInt8]? {
    node.children.flatMap { NodeSnapshot.childrenJSON($0) }.map { Array($0.utf8) }
  }

  private static func effects(_ node: NodeCut) -> [UInt8]? {
    node.effects.flatMap { NodeSnapshot.effectsJSON($0) }.map { Array($0.utf8) }
  }

  private static let isWritten = "s.id = i.session AND s.lease = i.lease AND s.version = i.cut"

  /// The values of sessions that were written, as `i`: found first, so that each row of theirs is then found by its whole key.
  ///
  /// Otherwise the planner, which thinks that sessions have few riblets, compares each value with all rows of its session.
  private static func written(_ values: String) -> String {
    "WITH i AS MATERIALIZED (SELECT i.* FROM \(values) JOIN rib_session s ON \(isWritten))"
  }

  private static let deleteNodes = PostgresQuery(
    """
    \(written("unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[]) AS i(session, lease, cut, id)"))
    DELETE FROM rib_riblet r USING i WHERE r.session = i.session AND r.id = i.id
    """)
  private static let upsertNodes = PostgresQuery(
    """
    INSERT INTO rib_riblet (session, id, type, version, state, children, effects)
      SELECT i.session, i.id, i.type, i.version, i.state, i.children, i.effects
        FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::int8[], $7::bytea[], $8::bytea[], $9::bytea[])
          AS i(session, lease, cut, id, type, version, state, children, effects)
        JOIN rib_session s ON \(isWritten)
      ON CONFLICT (session, id) DO UPDATE SET version = excluded.version, state = excluded.state, changes = '{}',
        children = excluded.children, effects = excluded.effects
    """)
  private static let nodeParts = """
    unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::bool[], $7::bytea[], $8::bool[], $9::bytea[],
      $10::bool[], $11::bytea[])
      AS i(session, lease, cut, id, version, has_state, state, has_children, children, has_effects, effects)
    """
  private static let updateNodes = PostgresQuery(
    """
    \(written(nodeParts))
    UPDATE rib_riblet r SET version = CASE WHEN i.has_state THEN i.version ELSE r.version END,
        state = CASE WHEN i.has_state THEN i.state ELSE r.state END,
        changes = CASE WHEN i.has_state THEN '{}' ELSE r.changes END,
        children = CASE WHEN i.has_children THEN i.children ELSE r.children END,
        effects = CASE WHEN i.has_effects THEN i.effects ELSE r.effects END
      FROM i WHERE r.session = i.session AND r.id = i.id
    """)
  private static let nodeChanges = """
    (SELECT session, lease, cut, id, min(seq) AS first, array_agg(ops ORDER BY seq) AS changes
      FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::bytea[])
        AS i(session, lease, cut, id, seq, ops) GROUP BY session, lease, cut, id) AS i
    """
  /// Changes that are there already are the same; where one is missing, the text that says so is no array, which is an error.
  private static let appendChanges = PostgresQuery(
    """
    \(written(nodeChanges))
    UPDATE rib_riblet r SET changes = CASE WHEN cardinality(r.changes) >= i.first - 1 THEN r.changes[:i.first - 1] || i.changes
        ELSE ('no change ' || i.first - 1)::bytea[] END
      FROM i WHERE r.session = i.session AND r.id = i.id
    """)
  private static let insertNacks = PostgresQuery(
    """
    INSERT INTO rib_nack (session, client, n, code, message)
      SELECT i.session, i.client, i.n, i.code, i.message
        FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::text[], $7::bytea[])
          AS i(session, lease, cut, client, n, code, message) JOIN rib_session s ON \(isWritten)
      ON CONFLICT DO NOTHING
    """)
  private static let deleteNacks = PostgresQuery(
    """
    \(written("unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[]) AS i(session, lease, cut, client, n)"))
    DELETE FROM rib_nack a USING i WHERE a.session = i.session AND a.client = i.client AND a.n <= i.n
    """)
  private static let deleteCrashes = PostgresQuery(
    """
    \(written("unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[]) AS i(session, lease, cut, client, n)"))
    DELETE FROM rib_crash c USING i WHERE c.session = i.session AND c.client = i.client AND c.n = i.n
    """)
  /// Writes the rows by which a sign-out finds sessions; several clients of a session may be one person's.
  private static let insertPersons = PostgresQuery(
    """
    INSERT INTO rib_person AS p (subject, issuer, session, since)
      SELECT i.subject, i.issuer, i.session, max(i.since)
        FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::bytea[], $5::bytea[], $6::int8[])
          AS i(session, lease, cut, subject, issuer, since) JOIN rib_session s ON \(isWritten)
        GROUP BY i.session, i.subject, i.issuer
      ON CONFLICT (subject, issuer, session) DO UPDATE SET since = excluded.since WHERE p.since < excluded.since
    """)
}

extension StateCut {
  /// Whether it needs the base that is there.
  fileprivate var goesOn: Bool {
    switch self {
    case .unchanged, .changed: true
    case .none, .replaced, .rewritten: false
    }
  }

  /// The new base; nil if there is none.
  fileprivate var base: [UInt8]? {
    switch self {
    case .replaced(let base), .rewritten(let base, _): base
    case .none, .unchanged, .changed: nil
    }
  }

  /// What follows the base that is there.
  fileprivate var changes: [StatePatch] {
    switch self {
    case .rewritten(_, let changes), .changed(let changes): changes
    case .none, .unchanged, .replaced: []
    }
  }
}
