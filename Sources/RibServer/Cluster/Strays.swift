import Wire

/// Sessions that the store may have given to this node without the node's knowing, as the answer to a request was lost.
///
/// | a session that was asked for in vain           | is                                                      |
/// |------------------------------------------------|---------------------------------------------------------|
/// | is not this node's in three looks              | none: no statement that is late for longer is known of  |
/// | is this node's, which has it by now            | none                                                    |
/// | is this node's, which does not have it         | looked at once more: it may be about to be read         |
/// | … under the same lease in the look after that  | lost: nobody would ever free it as long as the node lives |
///
/// One that is lost is looked at until it is free. A session that was created, and has ended before the store has answered, is not among them.
struct Strays {
  /// How many sessions are kept in mind; what was asked for in vain beyond that is not looked for.
  static let limit = 10_000
  /// Bytes of a session's name; clients may ask for any.
  static let longestName = 64
  private static let lookCount = 3

  private struct Suspect {
    var looksLeft = Strays.lookCount
    /// The lease under which it was this node's at the last look, and the node did not have it.
    var lease: SessionLease?
    /// Whether it was read since: it is suspected no more.
    var isAcquitted = false
    /// Whether it was asked for in vain since the look that is under way has begun.
    var isRenewed = true
  }

  private var suspects: [ExactString: Suspect] = [:]
  /// The suspects' names, each once, the next ones first.
  private var order: [String] = []

  /// Takes note of a session that was asked for, and of which there was no answer.
  mutating func suspect(_ sessionID: String) {
    let bytes = sessionID.utf8
    guard bytes.count <= Self.longestName, !bytes.contains(0) else { return }
    if suspects[sessionID] == nil {
      guard suspects.count < Self.limit else { return }
      order.append(sessionID)
    }
    suspects[sessionID] = Suspect()
  }

  /// A session was read: the node has it, and knows its lease.
  mutating func acquit(_ sessionID: String) { if !suspects.isEmpty { suspects[sessionID]?.isAcquitted = true } }

  /// The sessions that are to be looked at next.
  ///
  /// - Parameter count: how many at most.
  /// - Returns: their names.
  mutating func next(_ count: Int) -> [String] {
    suspects = suspects.filter { !$0.value.isAcquitted }
    order.removeAll { suspects[$0] == nil }
    let ids = Array(order.prefix(count))
    for id in ids { suspects[id]?.isRenewed = false }
    return ids
  }

  /// Takes note of a look.
  ///
  /// - Parameters:
  ///   - ids: what ``next(_:)`` has returned.
  ///   - held: those of them that are this node's, and under which lease.
  ///   - known: the leases of the sessions that the node has.
  /// - Returns: the leases of those that are lost.
  mutating func didLook(
    at ids: [String], _ held: [String: SessionLease], besides known: Set<SessionLease>  // safe text: 64 bytes
  ) -> [SessionLease] {
    order.removeFirst(ids.count)
    var lost: [SessionLease] = []
    for id in ids {
      guard var suspect = suspects[id], !suspect.isAcquitted else {
        suspects[id] = nil
        continue
      }
      order.append(id)
      guard !suspect.isRenewed else { continue }
      let lease = held[id].flatMap { known.contains($0) ? nil : $0 }
      if let lease, suspect.lease == lease { lost.append(lease) }
      suspect.looksLeft -= 1
      suspect.lease = lease
      suspects[id] = suspect.looksLeft > 0 || lease != nil ? suspect : nil
      if suspects[id] == nil { order.removeLast() }
    }
    return lost
  }
}
