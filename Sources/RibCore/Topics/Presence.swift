import Synchronization
import Wire

/// A list of who is there: sessions put values on it as long as they have a client connected, and others observe it.
///
/// The code that makes the riblets makes the presence and hands it to them, as it does with a ``Topic``:
///
///     struct Guest: Codable, Equatable, Identifiable { let id: String, name: String }
///     let guests = Presence<Guest>(name: "guests")
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       .merge(
///         .track(me, in: guests, while: session.clients, id: "me"),
///         .observe(guests, id: "guests") { .guestsChanged($0) })
///     }
///
/// The list has one value for each `id`, the one that was put there last: a person with several devices stands there once. It is in the order in
/// which this process has learned of them. The lists of one name are one list at all nodes of a cluster; a process makes one of each name.
///
/// A person who comes back within two seconds is not seen to leave: by a reload, a broken connection, a session that moves to another node. Nor is
/// anybody for ten seconds after a server has started on sessions that were there before: a riblet that keeps the list in its state goes on to show
/// it, and is told then who has come back. Who was at a node that has died leaves five seconds after the others have lost their links to it, or a little
/// after they take it for dead, if that is later.
///
/// Observers are told ten times a second at most, all of the list each time: this is for some hundreds at once, and not for cursors.
public final class Presence<Value: Identifiable & Codable & Equatable & Sendable>: Sendable where Value.ID: Sendable {
  /// The time between two ticks; changes are gathered for as long.
  private static var interval: Duration { .milliseconds(100) }
  /// For how many ticks somebody is shown who is gone.
  private static var grace: Int { 20 }
  /// For how many ticks behind the end of the link to his node somebody is shown.
  private static var graceAfterLink: Int { 48 }
  /// For how many behind the node's death at least: others learn of that within a second.
  ///
  /// Of a node that is killed clients come back before. Of one that stood still they come back only then, and may be seen to leave for a moment.
  private static var graceAfterDeath: Int { 11 }

  private struct State {
    var table: PresenceTable<Value>
    /// Whether a task has it tick.
    var isTicking = false
  }

  let publications = Publications<IdentifiedArray<Value>>.keepingTheLast()
  private let name: String
  private let exchange: PresenceExchange
  /// Whether observers are told at once; a test may want that.
  private let isImmediate: Bool
  private let number = Atomic(0)
  private let state: Mutex<State>

  /// The presence of a name; nobody is there yet in this process.
  ///
  /// - Parameter name: the same in all processes, for values of one type.
  public convenience init(name: String) { self.init(name: name, on: .shared) }

  /// The same, on an exchange of one's own.
  ///
  /// - Parameters:
  ///   - name: the same in all processes.
  ///   - exchange: of the process.
  ///   - isImmediate: whether observers are told at once, also of those who leave.
  package init(name: String, on exchange: PresenceExchange, isImmediate: Bool = false) {
    (self.name, self.exchange, self.isImmediate) = (name, exchange, isImmediate)
    state = Mutex(State(table: PresenceTable(grace: isImmediate ? 0 : Self.grace)))
    number.store(exchange.add(self, name), ordering: .relaxed)
    // Observers are told of the empty list as well.
    change { _ in }
  }

  deinit {
    exchange.remove(number.load(ordering: .relaxed))
    // Others do not hear of this process's list any more.
    let told = state.withLock { $0.table.roll }
    if !told.isEmpty { exchange.tell(PresenceChange(name: name, joined: [], left: Self.encode(told))) }
  }

  /// Who is there.
  public var members: IdentifiedArray<Value> { publications.last ?? [] }

  /// A stream of who is there, now and after each change, until the task that reads the stream is cancelled.
  ///
  /// A slow reader misses lists in between, never the last one.
  public func subscribe() -> AsyncStream<IdentifiedArray<Value>> {
    PublicationReader(fromTheOldestIn: publications).makeStream()
  }

  /// Puts a value on the list.
  ///
  /// - Returns: what keeps it there.
  package func enter(_ value: Value) -> PresenceEntry {
    let holder = change { $0.enter(value) }
    return PresenceEntry { [self] in change { $0.leave(value.id, holder) } }
  }

  /// How many hold a value on the list.
  func holderCount(of id: Value.ID) -> Int { state.withLock { $0.table.holderCount(of: id) } }

  /// Changes the table, and has it tick.
  @discardableResult private func change<Result: Sendable>(
    _ body: (inout sending PresenceTable<Value>) -> Result
  ) -> Result {
    let (result, mustStart) = state.withLock { state in
      let result = body(&state.table)
      defer { state.isTicking = true }
      return (result, !state.isTicking)
    }
    if isImmediate { _ = tick() } else if mustStart { start() }
    return result
  }

  private func start() {
    // The presence is there as long as somebody has it, and not as long as this waits.
    Task { [weak self, clock = exchange.clock] in
      repeat { try? await clock.sleep(for: Self.interval) } while self?.tick() == true
    }
  }

  /// Tells others and observers at once what a tick would tell.
  func tellNow() { _ = tick() }

  /// - Returns: whether there will be another tick.
  private func tick() -> Bool {
    let isSettled = exchange.isSettled
    let tick = state.withLock { state in
      let tick = state.table.tick(isSettled: isSettled)
      state.isTicking = !tick.isIdle
      return tick
    }
    if !tick.change.isEmpty {
      exchange.tell(
        PresenceChange(name: name, joined: Self.encode(tick.change.joined), left: Self.encode(tick.change.left)))
    }
    if let shown = tick.shown, shown != publications.last {
      // Settling may have begun meanwhile: the list is shown at its end.
      if exchange.isSettled { publications.publish(shown) } else { change { $0.showAgain() } }
    }
    return !tick.isIdle
  }

  /// A value that cannot be encoded is this process's alone.
  private static func encode(_ values: [Value]) -> [[UInt8]] { values.compactMap { try? StateCoder.encode($0) } }
  /// A value that another version of the program has, and this one cannot read, is not shown.
  private static func decode(_ values: [[UInt8]]) -> [Value] { values.compactMap { Value(published: $0) } }
}

extension Presence: PresenceExchange.Member {
  func settle() {
    publications.retract()
    change { $0.showAgain() }
  }

  var roll: [[UInt8]] { Self.encode(state.withLock { $0.table.roll }) }

  func receive(joined: [[UInt8]], left: [[UInt8]], from process: Int) {
    let (joined, left) = (Self.decode(joined), Self.decode(left))
    change { $0.receive(joined: joined, left: left, from: process) }
  }

  func forget(_ process: Int, withoutLinkFor duration: Duration) {
    let ticks = Int(min(duration, .seconds(60)) / Self.interval)
    let grace = max(Self.graceAfterLink - ticks, Self.graceAfterDeath)
    change { [isImmediate] in $0.forget(process, grace: isImmediate ? 0 : grace) }
  }

  func receiveRoll(of process: Int, isEnd: Bool) {
    change { if isEnd { $0.endRoll(of: process) } else { $0.beginRoll(of: process) } }
  }
}

/// Keeps a value on the list of a ``Presence``.
///
/// Ending or releasing it takes the value off.
package final class PresenceEntry: Sendable {
  private let leave: @Sendable () -> Void
  private let hasEnded = Atomic(false)

  init(leave: @escaping @Sendable () -> Void) { self.leave = leave }

  deinit { end() }

  /// Takes the value off; does nothing if it was taken off already.
  package func end() { if !hasEnded.exchange(true, ordering: .relaxed) { leave() } }
}

extension Effect {
  /// Puts a value on a presence's list as long as the session has a client connected.
  ///
  /// The session may rest meanwhile: the value stays on the list until the client is gone. To put another value in its place, carry out
  /// the effect again with the same `id`.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - presence: the presence.
  ///   - clients: the clients of the session, from its ``SessionContext``.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  /// - Returns: an effect that runs until it is cancelled.
  public static func track<Value>(
    _ value: Value, in presence: Presence<Value>, while clients: ConnectedClients, id: some Hashable & Sendable
  ) -> Effect {
    // It never rings, and keeps the value there while the session rests.
    let bell = Bell(of: presence) { _ in
      let entry = presence.enter(value)
      return { entry.end() }
    }
    let run = Run(id: EffectID(id), cancelsInFlight: true) {
      Execution(rest: .withBell(bell)) { _ in
        var entry: PresenceEntry?
        for await count in clients.shared.subscribe() {
          if count == 0 { entry = nil } else if entry == nil { entry = presence.enter(value) }
        }
        entry?.end()
      }
    }
    return Effect(operation: .run(run))
  }

  /// Sends the riblet an internal action with who is there, now and after each change.
  ///
  /// Lists in between may be left out, but never the last. A change wakes a resting session that has a client connected.
  ///
  /// - Parameters:
  ///   - presence: the presence to observe.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - action: makes the action for a list.
  /// - Returns: an effect that runs until it is cancelled, and lets the session rest.
  public static func observe<Value>(
    _ presence: Presence<Value>, id: some Hashable & Sendable,
    _ action: @escaping @Sendable (IdentifiedArray<Value>) -> Source.InternalAction
  ) -> Effect {
    observe(
      { PublicationReader(fromTheOldestIn: presence.publications) }, id: EffectID(id), onlyNewest: true, action
    ) { reader in .withBell(reader.makeBell(of: presence)) }
  }
}
