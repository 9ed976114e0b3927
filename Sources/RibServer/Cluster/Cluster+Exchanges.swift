import Logging
import RibCore
import Synchronization

// What this process's topics, presences and cluster values have to do with those of other nodes.

/// By what the exchanges know this node's connections; nil where there is none.
struct ExchangeNumbers: Sendable {
  var topics: Int?
  var presences: Int?
  var values: Int?
}

/// How far the cluster values of this node are written.
///
/// `@unchecked Sendable`: only jobs of the cluster's serial queue use it, and `Cluster.start`, which reads the values before the first of
/// these jobs is added.
final class ValueWrites: @unchecked Sendable {
  /// The number of the next write, by the value's name.
  private(set) var numbers: [String: Int] = [:]
  /// The values that were read.
  var known: Set<String> = []
  /// The values whose changes are being written, or are to be soon.
  var busy: Set<ObjectIdentifier> = []

  func next(_ name: String) -> Int { numbers[name, default: 1] }
  func ended(_ name: String) { numbers[name, default: 1] += 1 }
}

extension Cluster {
  /// Connects this process's topics and presences to those of other nodes.
  ///
  /// - Parameter links: to these.
  func connect(_ links: Links) {
    let topics = exchanges.topics.connect { [weak links] publication in links?.publish(publication) }
    let presences = exchanges.presences.connect { [weak links] news in links?.tell(news) }
    state.withLock { ($0.connections.topics, $0.connections.presences) = (topics, presences) }
  }

  /// Has this process's topics and presences be its own again; its cluster values go on to be written.
  func disconnectLinks() {
    let connections = state.withLock { $0.connections }
    if let topics = connections.topics { exchanges.topics.disconnect(topics) }
    if let presences = connections.presences { exchanges.presences.disconnect(presences) }
  }

  // MARK: Cluster values

  /// Has the store keep this process's cluster values, once it has read them.
  ///
  /// - Throws: ``StoreError`` if they cannot be read.
  func connectValues() throws(StoreError) {
    try readValues()
    let values = exchanges.values.connect { [weak self] value in
      guard let self else { return }
      queue.add { [self] in
        if !isStopped, writes.busy.insert(ObjectIdentifier(value)).inserted { write(value) }
      }
    }
    state.withLock { $0.connections.values = values }
  }

  /// Reads what others have changed; on the cluster's queue, or before it is used.
  ///
  /// - Throws: ``StoreError``.
  func readValues() throws(StoreError) {
    let members = exchanges.values.members
    guard !members.isEmpty else { return }
    let names = Set(members.map(\.name))
    for value in try directory.values(named: names.sorted()) { exchanges.values.receive(value) }
    writes.known.formUnion(names)
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
    guard state.withLock({ $0.mustRefresh }) else { return }
    do throws(StoreError) {
      // What changes from now on is told.
      state.withLock { $0.mustRefresh = false }
      try readValues()
    } catch {
      state.withLock { $0.mustRefresh = true }
      return complain("Cluster values cannot be read.", error)
    }
    let hasGap = state.withLock { state in
      defer { state.hasGap = false }
      return state.hasGap
    }
    if hasGap { exchanges.topics.noteGap() }
  }

  /// Writes the changes that wait, again and again until it is known what has become of each; on the cluster's queue.
  private func write(_ value: any ValueExchange.Member) {
    do throws(StoreError) {
      if !writes.known.contains(value.name) { try readValues() }
      guard let next = value.nextWrite() else {
        writes.busy.remove(ObjectIdentifier(value))
        return
      }
      let (found, wasWritten) = try directory.write(next, number: writes.next(value.name), of: id)
      writes.ended(value.name)
      value.writeEnded(wasWritten, found)
      if wasWritten { state.withLock { $0.links }?.tell(found) }
      // Beats come in between.
      queue.add { [self] in if !isStopped { write(value) } }
    } catch {
      complain("A cluster value cannot be written.", error)
      queue.add(after: pace.retry) { [weak self] in if let self, !isStopped { write(value) } }
    }
  }

  /// Writes what still waits, for some seconds at most; on the cluster's queue, as the last thing.
  func writeLastValues() {
    guard let number = state.withLock({ $0.connections.values }) else { return }
    exchanges.values.disconnect(number)
    let end = time.monotonic() + pace.interval
    do throws(StoreError) {
      for value in exchanges.values.members {
        while let next = value.nextWrite() {
          guard time.monotonic() <= end else { throw StoreError("There is no time left.") }
          let (found, wasWritten) = try directory.write(next, number: writes.next(value.name), of: id)
          writes.ended(value.name)
          value.writeEnded(wasWritten, found)
        }
      }
    } catch {
      logger.error("The last changes of cluster values are lost.", metadata: ["reason": "\(error)"])
    }
  }
}
