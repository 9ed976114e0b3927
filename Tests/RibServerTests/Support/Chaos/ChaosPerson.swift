/// The person behind a client of the chaos, and what must not become of the client's actions because of it.
struct ChaosPerson {
  let people: ChaosPeople
  let number: Int
  /// Whether it shows a new credential before its identity is over.
  let renews: Bool
  /// When it does so, in milliseconds.
  private(set) var renewalTime = Int.max
  /// The actions that its client has sent since it was signed out.
  private var late: Set<Int> = []
  /// Whether it was signed out when its client has connected.
  private var wasSignedOut = false
  /// How often its client has tried in vain to come back.
  private(set) var vainReturns = 0

  /// A person of whom nothing was said.
  ///
  /// - Parameters:
  ///   - number: the person's.
  ///   - people: among whom.
  ///   - renews: whether it shows a new credential before its identity is over.
  init(_ number: Int, of people: ChaosPeople, renews: Bool) {
    (self.number, self.people, self.renews) = (number, people, renews)
  }

  /// Whether it may be told to leave.
  var isLeaving: Bool { people.isLeaving(number) }

  /// A credential.
  func credential() -> String { people.credential(of: number) }

  /// Was told when its identity ends: it shows a new credential after four fifths of that, sooner than `Renewal` would have it.
  ///
  /// - Parameters:
  ///   - milliseconds: until then; nil for never.
  ///   - now: the time, in milliseconds.
  mutating func wasTold(expires milliseconds: Int?, at now: Int) {
    renewalTime = renews ? milliseconds.map { now + $0 * 4 / 5 } ?? .max : .max
  }

  /// Shows a new credential: the answer says when the next one is due.
  mutating func willRenew() { renewalTime = .max }

  /// Its client connects.
  mutating func connects() { wasSignedOut = people.isSignedOut(number) }

  /// Its client has sent an action.
  mutating func sent(_ action: Int) { if people.isSignedOut(number) { late.insert(action) } }

  /// What is wrong with an answer to an action; nil if nothing is.
  func fault(ofAnswerTo action: Int) -> String? {
    late.contains(action) ? "Action \(action) is answered, and its person was signed out before." : nil
  }

  /// What is wrong with a `welcome`; nil if nothing is.
  var faultOfWelcome: String? { wasSignedOut ? "It is welcome, and its person was signed out before." : nil }

  /// Its client was told to leave.
  ///
  /// - Returns: whether it has heard that often enough.
  mutating func wasRefused() -> Bool {
    if wasSignedOut { vainReturns += 1 }
    return vainReturns >= 3
  }
}
