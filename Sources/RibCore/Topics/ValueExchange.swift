import Synchronization

/// A ``ClusterValue``, as the processes that share it have it.
package struct NamedValue: Equatable, Sendable {
  /// The value's name.
  package let name: String
  /// How often it was changed; 0 if it was not.
  package let version: Int
  /// The value, as JSON.
  package let value: [UInt8]

  /// A value.
  package init(name: String, version: Int, value: [UInt8]) {
    (self.name, self.version, self.value) = (name, version, value)
  }
}

/// Why a ``ClusterValue`` is not what it was to become, or shows what it was.
package enum ValueFault: Error, Equatable, CustomStringConvertible {
  /// A change was not made, as what it makes cannot be encoded.
  case unencodable
  /// A change was not made, as what it makes is too long.
  case tooLong(bytes: Int)
  /// The store's value was written by another version of the program.
  case unreadable

  /// The fault in words, for the log.
  package var description: String {
    switch self {
    case .unencodable: "A change of a cluster value is not made: what it makes cannot be encoded."
    case .tooLong(let bytes):
      "A change of a cluster value is not made: it would have \(bytes) bytes, and may have \(ValueExchange.byteLimit)."
    case .unreadable:
      "A cluster value that another version of the program has written cannot be read: it is shown as it was before, and not changed."
    }
  }
}

/// Connects the cluster values of this process with a store that other processes use as well.
///
/// A process has one, ``shared``. Without a store, the values are their process's own.
package final class ValueExchange: Sendable {
  /// The process's.
  package static let shared = ValueExchange()

  /// Bytes of a value as JSON: with what is around it, it fits into a message between two nodes.
  package static let byteLimit = (1 << 20) - 4096

  /// A value, as the keeper of the store knows it.
  package protocol Member: AnyObject, Sendable {
    /// The value's name.
    var name: String { get }
    /// How often the store's value was changed, as far as is known.
    var version: Int { get }
    /// What the value becomes by the changes that wait; the version is that which it has now.
    ///
    /// - Returns: the same until ``writeEnded(_:_:)`` has told what has become of that; nil if no change waits, or if some could not be made
    ///   and more wait.
    func nextWrite() -> NamedValue?
    /// Whether changes wait.
    var hasChanges: Bool { get }
    /// Whether the write that ``nextWrite()`` has returned makes of the value what it is: then the store is only asked whether it still is that.
    var writesTheSame: Bool { get }
    /// It is known what has become of the write that ``nextWrite()`` has returned.
    ///
    /// - Parameters:
    ///   - wasWritten: whether the store has taken it; others may have changed it since.
    ///   - found: what the store has.
    func writeEnded(_ wasWritten: Bool, _ found: NamedValue)
    /// Takes what the store has, unless a newer one is known.
    func receive(_ value: NamedValue)
    /// Takes what was read from the store, also an older one, unless the value has become another one since.
    ///
    /// - Parameters:
    ///   - value: what was read; nil if nobody has changed it.
    ///   - version: the value's ``version`` before it was read.
    func take(_ value: NamedValue?, knowing version: Int)
    /// The faults since this was asked last.
    func takeFaults() -> [ValueFault]
  }

  private struct Entry { weak var member: (any Member)? }
  private struct State {
    var entries: [Int: Entry] = [:]
    var lastNumber = 0
    var keeper: (number: Int, submit: @Sendable (any Member) -> Void)?
    var lastKeeper = 0
  }

  // What is loaded of an entry under the lock is handed out, and let go of outside: the end of a member locks again.
  private let state = Mutex(State())

  /// Without values.
  package init() {}

  /// Makes a value known.
  ///
  /// - Returns: the number for ``remove(_:)``.
  func add(_ member: any Member) -> Int {
    let (number, submit) = state.withLock { state in
      state.lastNumber += 1
      state.entries[state.lastNumber] = Entry(member: member)
      return (state.lastNumber, state.keeper?.submit)
    }
    submit?(member)
    return number
  }

  /// Forgets a value.
  func remove(_ number: Int) { state.withLock { _ = $0.entries.removeValue(forKey: number) } }

  /// Has the store take the changes of a value, if there is one.
  func submit(_ member: any Member) { state.withLock { $0.keeper?.submit }?(member) }

  /// Whether a store has the values.
  var isConnected: Bool { state.withLock { $0.keeper != nil } }

  /// Has a store keep the values from now on; the one that was there before does not any more.
  ///
  /// - Parameter submit: has the store read the value if it has not yet, and take what changes wait; called on any thread, which it does not
  ///   hold up.
  /// - Returns: the number for ``disconnect(_:)``.
  package func connect(_ submit: @escaping @Sendable (any Member) -> Void) -> Int {
    state.withLock { state in
      state.lastKeeper += 1
      state.keeper = (state.lastKeeper, submit)
      return state.lastKeeper
    }
  }

  /// Has values be their process's own again.
  ///
  /// - Parameter keeper: what ``connect(_:)`` has returned.
  package func disconnect(_ keeper: Int) {
    let old = state.withLock { state in
      guard state.keeper?.number == keeper else { return nil as (@Sendable (any Member) -> Void)? }
      defer { state.keeper = nil }
      return state.keeper?.submit
    }
    withExtendedLifetime(old) {}
  }

  /// The values that there are.
  package var members: [any Member] { state.withLock { $0.entries.values.compactMap(\.member) } }

  /// Reads what the store has.
  ///
  /// The store's value counts, also if it is older than the one that is known: the store may be a standby that had not all when it was promoted.
  ///
  /// - Parameter find: reads the values of some names, those that somebody has changed.
  /// - Returns: the names of the values that there are.
  /// - Throws: what `find` does.
  package func read<Failure: Error>(
    _ find: (_ names: [String]) throws(Failure) -> [NamedValue]
  ) throws(Failure) -> Set<String> {
    let known = members.map { ($0, $0.version) }
    let names = Set(known.map(\.0.name))
    guard !names.isEmpty else { return [] }
    let found = try find(names.sorted())
    for (member, version) in known {
      member.take(found.first { $0.name == member.name }, knowing: version)
    }
    return names
  }

  /// Takes what the store has, as another process says.
  package func receive(_ value: NamedValue) {
    for member in members where member.name == value.name { member.receive(value) }
  }
}
