import RibCore

/// The effects of a session that run, and what of them once made a process die.
///
/// | an effect    | ``start(_:_:)`` | ``cancel(_:)``  | ``end(_:_:)`` |
/// |--------------|-----------------|-----------------|---------------|
/// | is new       | runs            |                 |               |
/// | runs         |                 | is cancelled    | has ended     |
/// | is cancelled |                 |                 | has ended     |
///
/// A crash that the flight recorder has found is kept until what ran then has gone well, or was refused: of an effect, until
/// the last one of its name has ended.
struct RunningEffects {
  /// The flight recorder's numbers of the effects that run.
  private var numbers: [EffectToken: Int] = [:]
  /// The numbers of effects that have ended since the session is in memory; kept only if there are crashes.
  private var ended: Set<Int> = []
  /// What ran when a server died, as far as it has not gone well since.
  private(set) var crashes: [StoredSession.Crash] = []
  /// The crashes that an operator has had forgotten, and the store still has.
  private var lifted: [StoredSession.Crash] = []

  /// The effects of a session that comes into memory.
  ///
  /// - Parameter crashes: what ran when a server died.
  init(crashes: [StoredSession.Crash] = []) { self.crashes = crashes }

  /// Takes note that an effect runs.
  ///
  /// - Parameters:
  ///   - token: the effect.
  ///   - number: what the flight recorder knows it by.
  mutating func start(_ token: EffectToken, _ number: Int) { numbers[token] = number }

  /// Takes note that an effect is to end: nothing that it sends arrives any more.
  ///
  /// - Parameter token: the effect.
  mutating func cancel(_ token: EffectToken) { numbers[token] = nil }

  /// Takes note that an effect has ended.
  ///
  /// - Parameters:
  ///   - token: the effect.
  ///   - number: what the flight recorder knows it by.
  mutating func end(_ token: EffectToken, _ number: Int) {
    numbers[token] = nil
    // Another one of its name may be the one to blame.
    if !crashes.isEmpty, !numbers.values.contains(number) { ended.insert(number) }
  }

  /// Takes note that all are cancelled.
  mutating func cancelAll() { numbers = [:] }

  /// How often a client's action was found to run when a process died.
  ///
  /// - Parameters:
  ///   - number: the action's.
  ///   - client: the client's id.
  /// - Returns: 0 if it was not.
  func crashCount(ofAction number: Int, of client: Int) -> Int {
    crashes.first { $0.client == client && $0.number == number }?.count ?? 0
  }

  /// Forgets what once made the server die and has gone well now, or was refused.
  ///
  /// - Parameters:
  ///   - isLeaving: whether the session is about to leave memory: then what does not run has gone well.
  ///   - lastNumber: the last action that was run or refused, by the client's id; nil if there is no such client.
  /// - Returns: the crashes that are forgotten.
  mutating func takeSurvived(isLeaving: Bool, lastNumber: (Int) -> Int?) -> [StoredSession.Crash] {
    guard !crashes.isEmpty || !lifted.isEmpty else { return [] }
    defer { lifted = [] }
    let survived = crashes.filter { crash in
      // An effect may send more, as long as it runs.
      guard crash.client > 0 else {
        return crash.number == 0 || ended.contains(crash.number) || isLeaving && numbers.isEmpty
      }
      return lastNumber(crash.client).map { $0 >= crash.number } ?? true
    }
    crashes.removeAll(where: survived.contains)
    return survived + lifted
  }

  /// Forgets what is not run again, as processes have died of it.
  ///
  /// - Returns: how much that was.
  mutating func lift() -> Int {
    let poison = crashes.filter { $0.count >= StoredSession.Crash.limit }
    crashes.removeAll(where: poison.contains)
    lifted += poison
    return poison.count
  }
}

extension EffectStart {
  /// What the flight recorder knows the effect by, also in the next process: the same for effects of one riblet type and one
  /// name.
  var flightNumber: Int {
    // FNV-1a; Hasher's results are good for one process.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(typeName) \(id.map(\.description) ?? "")".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash >> 12) | 1
  }
}
