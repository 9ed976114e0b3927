import Logging
import RibCore
import Synchronization

// What this process's cluster values have to do with the store, and with those of other nodes.

extension Cluster {
  /// Has the store keep this process's cluster values, once it has read them.
  ///
  /// - Throws: ``StoreError`` if they cannot be read.
  func connectValues() throws(StoreError) {
    try readValues()
    let values = exchanges.values.connect { [weak self] value in
      guard let self else { return }
      queue.add { [self] in
        if !isStopped, writes.add(value) { writeNext() }
      }
    }
    state.withLock { $0.connections.values = values }
  }

  /// Reads what others have changed; on the cluster's queue, or before it is used.
  ///
  /// - Throws: ``StoreError``.
  func readValues() throws(StoreError) {
    writes.known.formUnion(
      try exchanges.values.read { names throws(StoreError) in try directory.values(named: names) })
    for value in exchanges.values.members { logFaults(of: value) }
  }

  private func logFaults(of value: any ValueExchange.Member) {
    for fault in value.takeFaults() { logger.warning("\(fault)", metadata: ["value": "\(value.name)"]) }
  }

  /// Has cluster values read soon: there was no link over which others could have told of changes.
  ///
  /// Thread-safe.
  ///
  /// - Parameter hasGap: whether topics are to be told after it that publications have not come, or may not have. Whoever reads anew then what
  ///   depends on a cluster value finds the newest one.
  func refreshValues(hasGap: Bool) {
    state.withLock { state in
      state.mustRefresh = true
      if hasGap { state.hasGap = true }
    }
    queue.add { [weak self] in if let self, !isStopped { refreshValuesIfNeeded() } }
  }

  /// Reads what others have changed without a word of it here, if there may be any; if that fails, the next beat tries again.
  func refreshValuesIfNeeded() {
    // A gap that comes meanwhile is told after the next reading.
    let (isDue, hasGap) = state.withLock { state in
      defer { (state.mustRefresh, state.hasGap) = (false, false) }
      return (state.mustRefresh, state.hasGap)
    }
    guard isDue else { return }
    do throws(StoreError) {
      try readValues()
      if hasGap { exchanges.topics.noteGap() }
    } catch {
      state.withLock { state in
        state.mustRefresh = true
        if hasGap { state.hasGap = true }
      }
      complain("Cluster values cannot be read.", error)
    }
  }

  /// Writes the changes that wait of one value, and then of the next, until it is known what has become of each; on the cluster's queue.
  ///
  /// A value has one write a turn, which takes 1.5 s at most where the database hangs, and as long before its first one: a beat that is due
  /// comes before the next one.
  private func writeNext() {
    guard !isStopped, let value = writes.due.first else { return }
    do throws(StoreError) {
      if !writes.known.contains(value.name) { try readValues() }
      writes.endTurn(isDone: try write(value))
      if !writes.due.isEmpty { queue.add { [self] in writeNext() } }
    } catch {
      complain("A cluster value cannot be written.", error)
      writes.endTurn(isDone: false)
      queue.add(after: pace.retry) { [weak self] in self?.writeNext() }
    }
  }

  /// Writes the changes of a value that wait by now.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - end: when it is too late, in nanoseconds of the clock that never jumps.
  /// - Returns: whether none waits; if not, it is to be called again.
  /// - Throws: ``StoreError`` if it is not known whether they are written.
  private func write(_ value: any ValueExchange.Member, until end: UInt64 = .max) throws(StoreError) -> Bool {
    let next = value.nextWrite()
    logFaults(of: value)
    guard let next else { return !value.hasChanges }
    guard time.monotonic() <= end else { throw StoreError("There is no time left.") }
    if value.writesTheSame, let found = try directory.values(named: [value.name]).first {
      value.writeEnded(found == next, found)
      return false
    }
    let (found, wasWritten) = try directory.write(next, number: writes.next(value.name), of: id)
    writes.ended(value.name)
    value.writeEnded(wasWritten, found)
    if wasWritten, !isStopped { state.withLock { $0.links }?.tell(found) }
    return false
  }

  /// How long the last writes may take, in nanoseconds.
  private static var patienceAtTheEnd: UInt64 { 5_000_000_000 }

  /// Writes what still waits, for some seconds at most; on the cluster's queue, as the last thing.
  func writeLastValues() {
    guard let number = state.withLock({ $0.connections.values }) else { return }
    exchanges.values.disconnect(number)
    let end = time.monotonic() + Self.patienceAtTheEnd
    for value in exchanges.values.members {
      do throws(StoreError) {
        while try !write(value, until: end) {}
      } catch {
        logger.error(
          "The last changes of a cluster value are lost.", metadata: ["value": "\(value.name)", "reason": "\(error)"])
      }
    }
  }
}
