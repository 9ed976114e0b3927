import Wire

/// The refusals that a client was told of on its connections: each once, in order, and again when it comes back until
/// it has acknowledged them.
struct Refusals {
  private let client: String
  /// Those that the server has to tell again.
  private var told: [Nack] = []
  /// The action up to which nothing more is refused on the present connection.
  private var last = 0

  /// Of a client that was told nothing.
  init(of client: String) { self.client = client }

  /// Takes note of what the client is told as it comes, or comes back.
  ///
  /// - Parameters:
  ///   - nacks: the refusals.
  ///   - number: the last action that is done or refused.
  ///   - mayLack: whether what was told before may be lost.
  /// - Throws: ``Finding`` if a refusal is missing, or is another one by now, or they are not in order.
  mutating func begin(_ nacks: [Nack], upTo number: Int, mayLack: Bool) throws(Finding) {
    if mayLack { told = [] }
    if let missing = told.first(where: { !nacks.contains($0) }) {
      throw Finding(.otherAnswer, "\(client) was told \(missing), and comes back to \(nacks) of \(number)")
    }
    (told, last) = ([], 0)
    for nack in nacks { try hear(nack) }
    guard last <= number else { throw Finding(.brokenProtocol, "\(client) comes back to \(nacks) of \(number)") }
    last = number
  }

  /// Takes note of a refusal.
  ///
  /// - Throws: ``Finding`` if the action was answered before on this connection.
  mutating func hear(_ nack: Nack) throws(Finding) {
    guard nack.number > last else { throw Finding(.otherAnswer, "\(client) is told \(nack) after \(last)") }
    last = nack.number
    told.append(nack)
  }

  /// The client lets the server forget refusals.
  ///
  /// - Parameter number: the last action that the client acknowledges.
  mutating func acknowledge(_ number: Int) { told.removeAll { $0.number <= number } }
}
