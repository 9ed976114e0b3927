import RibCore
import Wire

/// What a session keeps of one client, so that each of its actions counts once and each refusal is heard.
struct ClientLedger {
  /// What becomes of an action that has come.
  enum Turn {
    /// It is the next one: it is to be run.
    case next
    /// It was run before: it is answered again.
    case done
    /// One before it is missing.
    case gap
  }

  /// The most bytes of refusals that are kept for a client, as JSON.
  static let nackBytes = 65_536

  /// What a store keeps of the client, but for the refusals.
  private(set) var record: ClientRecord
  /// Refusals that the client has not acknowledged, in order.
  private(set) var nacks: [Nack] = []
  /// How long they are together, as JSON.
  private var nackSize = 0

  /// The client's id, counted from 1.
  var id: Int { record.id }
  /// The last action that was run or refused.
  var number: Int { record.number }

  /// What is kept of a new client.
  ///
  /// - Parameters:
  ///   - id: the client's, counted from 1.
  ///   - token: what it will prove itself with; only its hash is kept.
  ///   - scope: what it may do.
  ///   - profile: what the client has said of itself, and the person behind it.
  init(id: Int, token: String, scope: ShareScope = .act, profile: ClientProfile? = nil) {
    record = ClientRecord(
      id: id, tokenHash: SessionToken.hash(token), attempt: 0, number: 0, scope: scope, profile: profile)
  }

  /// What was kept of a client.
  ///
  /// - Parameters:
  ///   - record: from a store.
  ///   - nacks: refusals that it has not acknowledged, in order.
  init(_ record: ClientRecord, nacks: [Nack]) {
    self.record = record
    self.nacks = nacks
    nackSize = nacks.reduce(0) { $0 + $1.size }
  }

  /// Makes the tokens void.
  mutating func retire() {
    record.tokenHash = ""
    changePerson { $0.formerTokenHash = nil }
  }

  /// Whether the client cannot come back: it has said `bye`, or was retired, or its person was signed out.
  var isRetired: Bool { record.tokenHash.isEmpty || record.person?.isRevoked == true }

  /// Counts an action, if it is the next one.
  ///
  /// - Parameter number: the action's.
  /// - Returns: what is to be done with it.
  mutating func take(_ number: Int) -> Turn {
    guard number == record.number + 1 else { return number <= record.number ? .done : .gap }
    record.number = number
    return .next
  }

  /// Keeps a refusal until it is acknowledged.
  ///
  /// - Parameter nack: of the action that was taken last.
  mutating func refuse(_ nack: Nack) {
    nacks.append(nack)
    nackSize += nack.size
  }

  /// Counts the oldest refusals in place of keeping them, if there are too many.
  ///
  /// The newest half of the limit is kept: what a client has not heard of are its last actions as a rule.
  ///
  /// - Parameter limit: bytes.
  /// - Returns: the last action whose refusal was forgotten; nil if none was.
  mutating func forgetRefusals(beyond limit: Int) -> Int? {
    guard nackSize > limit else { return nil }
    var count = 0
    while nackSize > limit / 2, count < nacks.count {
      nackSize -= nacks[count].size
      count += 1
    }
    let last = nacks[count - 1].number
    record.omitted = ClientRecord.Omitted(count: (record.omitted?.count ?? 0) + count, last: last)
    nacks.removeFirst(count)
    return last
  }

  /// Forgets the refusals that the client has heard of.
  ///
  /// - Parameter number: the highest action that it was told of.
  /// - Returns: whether there were any.
  @discardableResult mutating func acknowledge(_ number: Int) -> Bool {
    if let omitted = record.omitted, omitted.last <= number { record.omitted = nil }
    guard let first = nacks.first, first.number <= number else { return false }
    nacks.removeAll { $0.number <= number }
    nackSize = nacks.reduce(0) { $0 + $1.size }
    return true
  }

  // MARK: The person

  /// Whether a token is the one that the client had before its person signed in: the client may not have received the new one.
  func isFormer(_ token: String) -> Bool {
    record.person?.formerTokenHash.map { SessionToken.matches(token, $0) } ?? false
  }

  /// Binds the client to a person, with a token that only the person gets.
  ///
  /// - Parameters:
  ///   - identity: the person.
  ///   - token: the new token.
  ///   - now: the mark of the binding; a client that is bound already keeps its former mark.
  mutating func signIn(_ identity: Identity, token: String, at now: Int) {
    let former = record.person?.formerTokenHash ?? record.tokenHash
    let person = ClientProfile.Person(identity, since: record.person?.since ?? now, formerTokenHash: former)
    record.profile = ClientProfile(record.profile?.info ?? ClientInfo(), person)
    record.tokenHash = SessionToken.hash(token)
  }

  /// Keeps the newest identity of the client's person: one of an older credential changes nothing.
  ///
  /// - Returns: whether anything has changed that is kept.
  mutating func renew(_ identity: Identity) -> Bool {
    changePerson { if !identity.isOlder(than: $0.identity) { $0.identity = identity } }
  }

  /// Voids the former token, as the client has shown the new one.
  ///
  /// - Returns: whether there was one.
  mutating func forgetFormerToken() -> Bool { changePerson { $0.formerTokenHash = nil } }

  /// Marks the client's person as signed out: the client cannot come back.
  ///
  /// - Returns: whether that was new.
  mutating func revoke() -> Bool { changePerson { $0.isRevoked = true } }

  @discardableResult private mutating func changePerson(_ change: (inout ClientProfile.Person) -> Void) -> Bool {
    guard let old = record.person else { return false }
    var person = old
    change(&person)
    guard person != old else { return false }
    record.profile = ClientProfile(record.profile?.info ?? ClientInfo(), person)
    return true
  }

  // MARK: Attempts

  /// Counts an attempt to come back.
  ///
  /// - Parameter attempt: its number.
  /// - Returns: whether it is above the last one; nothing is changed otherwise.
  mutating func take(attempt: Int) -> Bool {
    guard attempt > record.attempt else { return false }
    record.attempt = attempt
    return true
  }

  /// A refusal's reason, cut where it repeats more of what the client has sent than a developer reads: it is kept until the
  /// client has heard it.
  ///
  /// - Parameter reason: of any length.
  /// - Returns: at most 514 bytes of UTF-8.
  static func brief(_ reason: String) -> String { reason.brief(within: 512) }
}
