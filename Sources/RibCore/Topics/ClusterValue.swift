import Synchronization
import Wire

/// A value that the sessions of all nodes of a cluster share: the store has it, and an observing session is told what it is and what it becomes.
///
/// Like a ``SharedValue``, it is handed to the riblets by the code that makes them, and a change wakes a resting session that has a client
/// connected:
///
///     let visits = ClusterValue(name: "visits", 0)
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       .merge(.update(visits) { $0 += 1 }, .observe(visits, id: "visits") { .visitsChanged($0) })
///     }
///
/// Each change is made once, in an order that is the same for all nodes: the store takes it if nobody has changed the value since this node has read
/// it; otherwise it is made again, to what the value is by then. A change takes a commit, and the changes that wait by then, 64 at most, are one
/// write: this is for some kilobytes that change some hundred times a second at most. A change whose process dies before the store has it is not made.
///
/// The value outlives the nodes. A server that is no node of a cluster has it as long as it runs.
///
/// | state      | a change                    | the store                                                                           |
/// |------------|-----------------------------|-------------------------------------------------------------------------------------|
/// | apart      | is made here, at once       | is not there: the server has not started, has stopped, or is no node of a cluster    |
/// | at rest    | waits, and is to be written |                                                                                     |
/// | writing    | waits for the next write    | has taken the write: its changes are made; or has not: they are made to what it has |
/// | unreadable | is not made                 | has a value that another version of the program has written                         |
///
/// The store's value takes the place of changes that were made before the server has started; if nobody has changed it there, they count as
/// the value's beginning. A value that cannot be read goes on to be shown as it was before, until one comes that can be; the server's log says so. A
/// change that makes more than a mebibyte of JSON, or something that cannot be encoded, is not made, which is in the log as well.
///
/// After a failover of the database to a standby that had not all, the value is what that one has.
public final class ClusterValue<Value: Codable & Sendable>: Sendable {
  /// A function that makes another value of a value; it may be called more than once.
  public typealias Change = @Sendable (inout Value) -> Void

  private struct State {
    /// How often the store's value was changed.
    var version = 0
    /// The store's value, as last read; nil if this version of the program cannot read it.
    var value: Value?
    /// The same as the store has it; nil if nothing of it is known, or the value was changed apart from it.
    var bytes: [UInt8]?
    /// Changes that wait; the first `writing` of them are in the write that is under way.
    var waiting: [Change] = []
    /// The write that is under way; nil for none.
    var write: NamedValue?
    /// How many changes the write makes.
    var writing = 0
    /// The faults that nobody has asked for yet.
    var faults: [ValueFault] = []

    /// Takes what the store has, if it is to be taken.
    ///
    /// - Returns: whether it was.
    mutating func take(_ found: NamedValue, if isWanted: Bool) -> Bool {
      guard isWanted else { return false }
      let wasReadable = value != nil
      (version, value, bytes) = (found.version, Value(published: found.value), found.value)
      if wasReadable, value == nil { faults.append(.unreadable) }
      return true
    }
  }

  /// The value's name.
  package let name: String
  // Only the last value is kept, as of a SharedValue.
  let publications: Publications<Value>
  /// The value as long as nobody has changed it.
  private let first: Value
  private weak let exchange: ValueExchange?
  private let number = Atomic(0)
  private let state: Mutex<State>

  /// A value of a name.
  ///
  /// - Parameters:
  ///   - name: the same in all processes, for one value in each, of one type.
  ///   - value: what the value is as long as nobody has changed it.
  public convenience init(name: String, _ value: Value) { self.init(name: name, value, on: .shared) }

  /// The same, on an exchange of one's own.
  package init(name: String, _ value: Value, on exchange: ValueExchange) {
    (self.name, self.first, self.exchange) = (name, value, exchange)
    publications = Publications(beginningWith: value)
    state = Mutex(State(value: value))
    number.store(exchange.add(self), ordering: .relaxed)
  }

  deinit { exchange?.remove(number.load(ordering: .relaxed)) }

  /// The value, as far as this process has learned.
  public var value: Value {
    guard let value = publications.last else { preconditionFailure("a value keeps its last value") }
    return value
  }

  /// Changes the value as soon as the store has the change: for code outside of riblets, which use ``Effect/update(_:_:)-(ClusterValue<Value>,_)``.
  ///
  /// - Parameter change: what makes another value of it, and does not use this value itself.
  public func update(_ change: @escaping Change) {
    guard let exchange, exchange.isConnected else {
      return publications.amend { value in
        change(&value)
        state.withLock { state in
          if state.value != nil { (state.value, state.bytes) = (value, nil) }
        }
      }
    }
    state.withLock { if $0.value != nil { $0.waiting.append(change) } }
    exchange.submit(self)
  }

  /// A stream of the present value and of what it becomes, until the task that reads the stream is cancelled.
  ///
  /// A slow reader misses values in between, never the last one.
  public func subscribe() -> AsyncStream<Value> { PublicationReader(fromTheOldestIn: publications).makeStream() }
}

extension ClusterValue: ValueExchange.Member {
  /// How often the store's value was changed, as far as is known.
  package var version: Int { state.withLock { $0.version } }

  /// The write that makes the changes which wait; nil if none does, or if some of them could not be made and others are to have a turn.
  package func nextWrite() -> NamedValue? {
    state.withLock { state in
      if let write = state.write { return write }
      guard let value = state.value else {
        state.waiting = []
        return nil
      }
      let faultCount = state.faults.count
      while !state.waiting.isEmpty, state.faults.count < faultCount + Self.faultLimit {
        let changes = state.waiting.prefix(Self.writeLimit)
        do throws(ValueFault) {
          let bytes = try Self.bytes(of: value, changedBy: changes)
          state.writing = changes.count
          state.write = NamedValue(name: name, version: state.version, value: bytes)
          return state.write
        } catch {
          state.faults.append(error)
          state.waiting.remove(at: Self.indexOfFault(in: changes, of: value))
        }
      }
      return nil
    }
  }

  /// How many changes a write makes at most: the value is encoded with a lock that those who change it wait for.
  private static var writeLimit: Int { 64 }
  /// How many changes that are not made it takes to give others a turn.
  private static var faultLimit: Int { 8 }

  /// Finds a change with which the value cannot be written, by halves.
  ///
  /// - Parameters:
  ///   - changes: with all of which it cannot be.
  ///   - value: what they change.
  /// - Returns: the index of one with which it cannot be, and without which it can.
  private static func indexOfFault(in changes: ArraySlice<Change>, of value: Value) -> Int {
    var (good, bad) = (changes.startIndex, changes.endIndex)
    while bad - good > 1 {
      let middle = (good + bad) / 2
      if (try? bytes(of: value, changedBy: changes[..<middle])) == nil { bad = middle } else { good = middle }
    }
    return bad - 1
  }

  private static func bytes(
    of value: Value, changedBy changes: some Sequence<Change>
  ) throws(ValueFault) -> [UInt8] {
    var value = value
    for change in changes { change(&value) }
    guard let bytes = try? StateCoder.encode(value) else { throw .unencodable }
    guard bytes.count <= ValueExchange.byteLimit else { throw .tooLong(bytes: bytes.count) }
    return bytes
  }

  /// Whether changes wait.
  package var hasChanges: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Whether the write that is under way makes of the value what it is.
  package var writesTheSame: Bool {
    state.withLock { state in state.write.map { $0.version == state.version && $0.value == state.bytes } ?? false }
  }

  /// Takes note of the outcome of the write that is under way.
  package func writeEnded(_ wasWritten: Bool, _ found: NamedValue) {
    let version = state.withLock { state in
      if wasWritten { state.waiting.removeFirst(state.writing) }
      defer { (state.write, state.writing) = (nil, 0) }
      return state.write?.version
    }
    if let version { take(found, knowing: version) }
  }

  /// Takes what the store has, unless a newer value is known.
  package func receive(_ value: NamedValue) {
    publish(if: state.withLock { state in state.take(value, if: value.version > state.version) })
  }

  /// Takes what was read from the store, also an older value, unless another one has come since.
  package func take(_ value: NamedValue?, knowing version: Int) {
    publish(
      if: state.withLock { state in
        guard let value else {
          guard version > 0, state.version == version else { return false }
          (state.version, state.value, state.bytes) = (0, first, nil)
          return true
        }
        let isOther = state.version == version && (value.version < version || value.value != state.bytes)
        return state.take(value, if: isOther || value.version > state.version)
      })
  }

  private func publish(if isNew: Bool) {
    // Of two threads that have taken a value, each publishes the newer one.
    if isNew { publications.amend { value in if let newest = state.withLock({ $0.value }) { value = newest } } }
  }

  /// The faults since this was asked last.
  package func takeFaults() -> [ValueFault] {
    state.withLock { state in
      defer { state.faults = [] }
      return state.faults
    }
  }
}

extension Effect {
  /// Sends the riblet an internal action for the present value, and for what it becomes.
  ///
  /// If the value changes several times in a row, values in between may be left out, but never the last: the action is made of what the value is
  /// when the reducer runs. A change wakes a resting session that has a client connected.
  ///
  /// - Parameters:
  ///   - shared: the value to observe.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - action: makes the action for a value.
  /// - Returns: an effect that runs until it is cancelled, and lets the session rest.
  public static func observe<Value>(
    _ shared: ClusterValue<Value>, id: some Hashable & Sendable,
    _ action: @escaping @Sendable (Value) -> Source.InternalAction
  ) -> Effect {
    observe({ PublicationReader(fromTheOldestIn: shared.publications) }, id: EffectID(id), onlyNewest: true, action) {
      .withBell($0.makeBell(of: shared))
    }
  }

  /// Changes a value once the transaction is committed, and as soon as the store has the change; never if the transaction is rolled back.
  ///
  /// - Parameters:
  ///   - shared: the value.
  ///   - change: what makes another value of it, which other sessions may have changed meanwhile; it may be called more than once.
  /// - Returns: an effect that ends at once.
  public static func update<Value>(
    _ shared: ClusterValue<Value>, _ change: @escaping ClusterValue<Value>.Change
  ) -> Effect {
    let announcement = Announcement(listenerCount: { shared.publications.listenerCount }) { shared.update(change) }
    return Effect(operation: .publish(announcement))
  }
}
