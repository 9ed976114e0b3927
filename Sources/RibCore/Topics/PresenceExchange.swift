import Synchronization

/// What a process tells others about who is there in it, by a presence's name.
package struct PresenceChange: Equatable, Sendable {
  /// The presence's name.
  package let name: String
  /// Who has come, or is another one now; each as JSON.
  package let joined: [[UInt8]]
  /// Who is not there any more, as it was told last; each as JSON.
  package let left: [[UInt8]]

  /// A change.
  package init(name: String, joined: [[UInt8]], left: [[UInt8]]) {
    (self.name, self.joined, self.left) = (name, joined, left)
  }
}

/// What one process says to another one about presence.
package enum PresenceNews: Equatable, Sendable {
  /// The process begins to tell all that it has; what it does not tell until the end is not there any more.
  case rollBegins
  case change(PresenceChange)
  case rollEnds
  /// The process wants to be told all that the other one has.
  case rollWanted
}

/// Connects the presences of this process with those of the same names in the processes that share its sessions.
///
/// A process has one, ``shared``.
package final class PresenceExchange: Sendable {
  /// The process's.
  package static let shared = PresenceExchange()

  /// A presence, as the exchange knows it.
  protocol Member: AnyObject, Sendable {
    /// All that other processes were told of this one; each as JSON.
    var roll: [[UInt8]] { get }
    /// Takes what another process has told; each as JSON.
    func receive(joined: [[UInt8]], left: [[UInt8]], from process: Int)
    /// Has observers told nothing until the exchange is settled.
    func settle()
    /// Another process begins to tell all that it has, or has told it.
    func receiveRoll(of process: Int, isEnd: Bool)
    /// Another process is gone, to which there was no link for so long.
    func forget(_ process: Int, withoutLinkFor duration: Duration)
  }

  private struct Entry {
    let name: String
    weak var member: (any Member)?
  }
  private struct State {
    var entries: [Int: Entry] = [:]
    var lastNumber = 0
    var buses: [Int: @Sendable (PresenceNews) -> Void] = [:]
    var lastBus = 0
    /// The exchange's age until which restored sessions go on to show who was there before this process.
    var settlesAt: Duration?
  }

  // What is loaded of an entry under the lock is handed out, and let go of outside: the end of a member locks again.
  private let state = Mutex(State())
  /// What presences wait by.
  let clock: any Clock<Duration>
  /// How old the exchange is, by the clock.
  private let age: @Sendable () -> Duration

  /// Without presences.
  ///
  /// - Parameter clock: what presences wait by.
  package init(clock: any Clock<Duration> = ContinuousClock()) {
    self.clock = clock
    age = Self.age(by: clock)
  }

  private static func age(by clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  // MARK: Presences

  /// Makes a presence known by its name.
  ///
  /// - Returns: the number for ``remove(_:)``.
  func add(_ member: any Member, _ name: String) -> Int {
    let (number, buses) = state.withLock { state in
      state.lastNumber += 1
      state.entries[state.lastNumber] = Entry(name: name, member: member)
      return (state.lastNumber, Array(state.buses.values))
    }
    // What others have told before has gone unheard.
    for bus in buses { bus(.rollWanted) }
    return number
  }

  /// Forgets a presence.
  ///
  /// - Parameter number: what ``add(_:_:)`` has returned.
  func remove(_ number: Int) { state.withLock { _ = $0.entries.removeValue(forKey: number) } }

  /// How many presences are known.
  var count: Int { state.withLock { $0.entries.count } }

  /// Tells other processes of a change; in the order of the calls.
  func tell(_ change: PresenceChange) {
    let buses = state.withLock { Array($0.buses.values) }
    for bus in buses { bus(.change(change)) }
  }

  /// Has observers told nothing for a while: the sessions that a process before this one has left still show who was there, and their clients
  /// are about to come back.
  ///
  /// - Parameter duration: how long.
  package func settle(for duration: Duration) {
    let end = age() + duration
    state.withLock { $0.settlesAt = end }
    for (_, member) in members { member.settle() }
  }

  /// Whether observers are told who is there.
  var isSettled: Bool {
    let age = age()
    return state.withLock { state in
      guard let end = state.settlesAt else { return true }
      guard end <= age else { return false }
      state.settlesAt = nil
      return true
    }
  }

  // MARK: Other processes

  /// Has other processes told of all changes from now on.
  ///
  /// - Parameter send: tells them; called on any thread, which it does not hold up.
  /// - Returns: the number for ``disconnect(_:)``.
  package func connect(_ send: @escaping @Sendable (PresenceNews) -> Void) -> Int {
    state.withLock { state in
      state.lastBus += 1
      state.buses[state.lastBus] = send
      return state.lastBus
    }
  }

  /// Tells other processes nothing any more.
  ///
  /// - Parameter bus: what ``connect(_:)`` has returned.
  package func disconnect(_ bus: Int) { state.withLock { _ = $0.buses.removeValue(forKey: bus) } }

  /// All that other processes were told of this one.
  package var roll: [PresenceChange] {
    members.map { name, member in PresenceChange(name: name, joined: member.roll, left: []) }
      .filter { !$0.joined.isEmpty }
  }

  /// Takes what another process has said; those who observe a presence here are told.
  ///
  /// - Parameters:
  ///   - news: what it has said.
  ///   - process: its number.
  package func receive(_ news: PresenceNews, from process: Int) {
    switch news {
    case .rollBegins: for (_, member) in members { member.receiveRoll(of: process, isEnd: false) }
    case .rollEnds: for (_, member) in members { member.receiveRoll(of: process, isEnd: true) }
    case .change(let change):
      for (name, member) in members where name == change.name {
        member.receive(joined: change.joined, left: change.left, from: process)
      }
    case .rollWanted: break
    }
  }

  /// Takes note that another process is gone.
  ///
  /// - Parameters:
  ///   - process: its number.
  ///   - duration: for how long there was no link to it: who has come back in that time was there all along.
  package func forget(_ process: Int, withoutLinkFor duration: Duration = .zero) {
    for (_, member) in members { member.forget(process, withoutLinkFor: duration) }
  }

  private var members: [(name: String, any Member)] {
    state.withLock { state in state.entries.values.compactMap { entry in entry.member.map { (entry.name, $0) } } }
  }
}
