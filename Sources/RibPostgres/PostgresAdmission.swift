import RibCore
import RibServer
import Wire

/// Refuses writes of a batch because of a sign-out or a quota.
///
/// One round trip reads those rows for the whole batch. Requests are then judged in order. Each creation that is let in counts for those
/// after it, as the database does not have it yet.
struct PostgresAdmission {
  private var signOuts: [PersonID: Revocation] = [:]
  /// How many sessions each place has that begins one here.
  private var places: [String: Int] = [:]  // safe text: own
  /// How many sessions each person has who begins one here.
  private var persons: [PersonID: Int] = [:]
  /// Sessions of repeated creations that the database has already: the counts include them.
  private var existing: Set<ExactString> = []

  /// Reads what the requests depend on.
  ///
  /// A sign-out of one of their persons waits from here on until the transaction is over, and then fences off the sessions that it wrote.
  ///
  /// - Parameters:
  ///   - requests: creations and writes.
  ///   - transaction: what they belong to.
  /// - Throws: ``PostgresError``.
  init(_ requests: [StoreRequest], _ transaction: PostgresTransaction) throws(PostgresError) {
    var (bound, repeated) = (Set<PersonID>(), [String]())
    for (identity, cut) in requests.compactMap(\.judged) {
      bound.formUnion(cut.trustedPersons.map { PersonID($0.identity) })
      guard let identity, let quota = cut.quota else { continue }
      if quota.perPlace > 0, let place = identity.place { places[place] = 0 }
      if quota.perPerson > 0, let person = cut.owner { persons[person] = 0 }
      // A first cut is in no database.
      if cut.version > 1 { repeated.append(identity.id) }
    }
    guard !bound.isEmpty || !places.isEmpty || !persons.isEmpty else { return }
    let results = try transaction.run(
      PostgresStore.findingSignOuts(of: bound) + [
        PostgresStatement(Self.countOfPlaces, .texts(Array(places.keys))),
        PostgresStatement(Self.countOfPersons, PostgresStore.names(of: Array(persons.keys))),
        PostgresStatement(Self.selectExisting, .texts(repeated)),
      ])
    signOuts = PostgresStore.signOuts(in: results[1])
    for row in results[2].rows { places[row.text(0)] = row.integer(1) }
    for row in results[3].rows { persons[PersonID(row.text(0), issuer: row.text(1))] = row.integer(2) }
    existing = Set(results[4].rows.map { ExactString($0.text(0)) })
  }

  /// Judges the next request.
  ///
  /// - Parameter request: one of those that this was made with.
  /// - Returns: the answer to a request that is refused; nil for one that is to be written.
  mutating func refusal(of request: StoreRequest) -> StoreResult? {
    guard let (identity, cut) = request.judged else { return nil }
    // Another node has signed the person out, and this one has not learned of it.
    let isRevoked = cut.trustedPersons.contains { person in
      signOuts[PersonID(person.identity)].map {
        person.since <= $0.mark || person.identity.wasIssued(before: $0)
      } ?? false
    }
    if isRevoked { return .lost }
    guard let identity else { return nil }
    let own = existing.contains(ExactString(identity.id)) ? 1 : 0
    if let quota = cut.quota {
      let ofPlace = identity.place.flatMap { places[$0] } ?? 0, ofPerson = cut.owner.flatMap { persons[$0] } ?? 0
      guard quota.perPlace == 0 || identity.place == nil || ofPlace - own < quota.perPlace else { return .overQuota }
      guard quota.perPerson == 0 || cut.owner == nil || ofPerson - own < quota.perPerson else { return .overQuota }
    }
    if let place = identity.place { places[place]? += 1 - own }
    for person in Set(cut.persons.map { PersonID($0.identity) }) { persons[person]? += 1 - own }
    return nil
  }

  private static let countOfPlaces = PostgresQuery(
    """
    SELECT i.place, (SELECT count(*) FROM rib_session s WHERE s.place = i.place) FROM unnest($1::text[]) AS i(place)
    """)
  private static let countOfPersons = PostgresQuery(
    """
    SELECT i.subject, i.issuer,
        (SELECT count(*) FROM rib_person p JOIN rib_session s ON s.id = p.session
          LEFT JOIN rib_revocation r ON (r.subject, r.issuer) = (p.subject, p.issuer)
          WHERE (p.subject, p.issuer) = (i.subject, i.issuer) AND p.since > coalesce(r.mark, p.since - 1))
      FROM unnest($1::bytea[], $2::bytea[]) AS i(subject, issuer)
    """)
  private static let selectExisting = PostgresQuery("SELECT sid FROM rib_session WHERE sid = ANY ($1::text[])")
}

extension StoreRequest {
  /// The judged parts: the cut, and the identity of a creation; nil for progress, which the lease alone fences.
  fileprivate var judged: (identity: SessionIdentity?, cut: SessionCut)? {
    switch self {
    case .create(let identity, let cut): (identity, cut)
    case .write(_, let cut): cut.isProgress ? nil : (nil, cut)
    default: nil
    }
  }
}

extension SessionCut {
  /// The persons behind the session's clients.
  var persons: [ClientProfile.Person] { state.clients.compactMap(\.person) }
  /// The persons whom this node does not know to be signed out.
  fileprivate var trustedPersons: [ClientProfile.Person] { persons.filter { !$0.isRevoked } }
  /// The person who begins the session, and whose quota counts it; nil for nobody.
  fileprivate var owner: PersonID? { (state.clients.first?.person?.identity).map { PersonID($0) } }
}
