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

  /// The most refusals that a client may leave unacknowledged.
  static let nackLimit = 4096

  /// What a store keeps of the client, but for the refusals.
  private(set) var record: ClientRecord
  /// Refusals that the client has not acknowledged, in order.
  private(set) var nacks: [Nack] = []

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
  init(id: Int, token: String, scope: ShareScope = .act) {
    record = ClientRecord(id: id, tokenHash: SessionToken.hash(token), attempt: 0, number: 0, scope: scope)
  }

  /// What was kept of a client.
  ///
  /// - Parameters:
  ///   - record: from a store.
  ///   - nacks: refusals that it has not acknowledged, in order.
  init(_ record: ClientRecord, nacks: [Nack]) {
    self.record = record
    self.nacks = nacks
  }

  /// Makes the token void.
  mutating func retire() { record.tokenHash = "" }

  /// Whether the client has said that it does not come back.
  var isRetired: Bool { record.tokenHash.isEmpty }

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
  /// - Returns: whether there is room for it; it is kept nevertheless.
  mutating func refuse(_ nack: Nack) -> Bool {
    nacks.append(nack)
    return nacks.count <= Self.nackLimit
  }

  /// Forgets the refusals that the client has heard of.
  ///
  /// - Parameter number: the highest action that it was told of.
  /// - Returns: whether there were any.
  @discardableResult mutating func acknowledge(_ number: Int) -> Bool {
    guard let first = nacks.first, first.number <= number else { return false }
    nacks.removeAll { $0.number <= number }
    return true
  }

  /// Lets a client that comes back have its place again.
  ///
  /// - Parameter resume: what it says.
  /// - Returns: why not; nothing is changed then. Nil if it is let in.
  mutating func admit(_ resume: ClientMessage.Resume) -> Bye? {
    guard resume.clientID == id, SessionToken.matches(resume.token, record.tokenHash) else { return .denied }
    return take(attempt: resume.attempt) ? nil : .stale
  }

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
  static func brief(_ reason: String) -> String {
    let limit = 512
    if reason.utf8.count <= limit { return reason }
    var brief = ""
    for character in reason {
      guard brief.utf8.count + character.utf8.count < limit else { break }
      brief.append(character)
    }
    return brief + "…"
  }
}
