import Wire

/// What clients are told of their actions, and what they may be shown of them meanwhile.
extension World {
  /// Takes note of what a client was told of an action.
  ///
  /// - Parameters:
  ///   - name: the action's.
  ///   - nack: its refusal; nil if it is done.
  ///   - isOfGuest: whether its client was invited.
  /// - Throws: ``Finding`` if it cannot have come to that.
  func answered(_ name: Int, _ nack: Nack?, isOfGuest: Bool = false) throws(Finding) {
    try check(name, nack, isOfGuest: isOfGuest)
    if nack == nil { try checkCommitted(name) }
    if nack == nil { figures.applied += 1 } else { figures.refused += 1 }
    if nack?.code == .refused { figures.note("refusals by the app") }
  }

  /// Compares an answer with the action.
  ///
  /// - Parameters:
  ///   - name: the action's.
  ///   - nack: its refusal; nil if it is done.
  ///   - isOfGuest: whether its client was invited.
  /// - Throws: ``Finding`` if it cannot have come to that.
  func check(_ name: Int, _ nack: Nack?, isOfGuest: Bool = false) throws(Finding) {
    guard let action = actions[name], action.allows(nack, isOfGuest: isOfGuest) else {
      let answer = nack.map { "\($0.code.rawValue): \($0.message)" } ?? "as done"
      throw Finding(.otherAnswer, "\(name), \(actions[name]?.json.text ?? "an unknown action"), is answered \(answer)")
    }
  }

  /// A node lets nothing out that is not in the database: it may be another one's by then.
  private func checkCommitted(_ name: Int) throws(Finding) {
    guard let cluster, !cluster.database.committed.contains(name) else { return }
    throw Finding(.uncommitted, "\(name) is told or shown, and not in the database")
  }

  /// Nothing is shown of an action that the app refuses, not even for a while, and nothing that another node would not know of.
  ///
  /// - Parameter names: the actions that a view shows as done, and the one before it did not.
  /// - Throws: ``Finding`` if there is one.
  func checkShown(_ names: ArraySlice<Int>) throws(Finding) {
    for name in names where actions[name]?.isRefused != false {
      throw Finding(.refusedAndDone, "\(name) is shown in \(names)")
    }
    for name in names { try checkCommitted(name) }
  }
}
