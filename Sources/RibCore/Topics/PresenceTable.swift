/// Who is there, as one process knows: what a ``Presence`` shows, and what it tells other processes of this one's.
///
/// Each process tells of those that are there in itself, and nobody else changes that: there is nothing to be merged, and nothing stays behind of
/// a process that is gone.
///
/// | an entry                      | is shown | ends                                                        |
/// |-------------------------------|----------|-------------------------------------------------------------|
/// | somebody holds it, here or there | yes   | when the last one lets go of it                             |
/// | nobody holds it               | yes      | after some ticks of grace, unless somebody takes hold of it again; after others if a process was all that held it, and is gone |
struct PresenceTable<Value: Identifiable & Equatable & Sendable>: Sendable where Value.ID: Sendable {
  /// For how many ticks that is shown which nobody holds: somebody who reconnects, or whose session moves, is not seen to leave.
  private let grace: Int

  /// Who holds an entry.
  private enum Holder: Hashable { case own(Int), process(Int) }

  private struct Entry {
    /// Counts the entries, in the order in which they have come.
    let number: Int
    /// What each holder says, the last word at the end.
    var words: [(holder: Holder, value: Value)]
    /// What is shown: the last word.
    var value: Value
    /// The tick at which it ends, if nobody takes hold of it before; nil if somebody has it.
    var leavesAt: Int?

    var own: Value? {
      words.last { if case .own = $0.holder { true } else { false } }?.value
    }
  }

  /// What others are to be told of this process.
  struct Change {
    /// Who has come, or is another one now.
    var joined: [Value] = []
    /// Who is not there any more, as it was told last.
    var left: [Value] = []

    var isEmpty: Bool { joined.isEmpty && left.isEmpty }
  }

  /// What a tick has brought.
  struct Tick {
    /// What others are to be told.
    let change: Change
    /// What is to be shown; nil if that is what was shown before.
    let shown: IdentifiedArray<Value>?
    /// Whether there is nothing to wait for.
    let isIdle: Bool
  }

  private var entries: [Value.ID: Entry] = [:]
  private var lastEntry = 0
  private var lastHolder = 0
  private var ticks = 0
  /// What others were told.
  private var told: [Value.ID: Value] = [:]
  /// What may be another than others were told.
  private var untold: Set<Value.ID> = []
  private var absent: Set<Value.ID> = []
  /// Whether the list is another than the one shown last; an empty one is shown as well.
  private var isChanged = true
  /// What other processes had that tell anew all that they have, and have not yet told.
  private var stale: [Int: Set<Value.ID>] = [:]

  /// Nobody.
  ///
  /// - Parameter grace: for how many ticks that is shown which nobody holds.
  init(grace: Int) { self.grace = grace }

  /// Has the list shown again, whatever was shown last.
  mutating func showAgain() { isChanged = true }

  // MARK: This process

  /// Takes hold of an entry for this process.
  ///
  /// - Returns: the number for ``leave(_:_:)``.
  mutating func enter(_ value: Value) -> Int {
    lastHolder += 1
    hold(value, .own(lastHolder))
    untold.insert(value.id)
    return lastHolder
  }

  /// Lets go of an entry.
  ///
  /// - Parameters:
  ///   - id: whose it is.
  ///   - holder: what ``enter(_:)`` has returned.
  mutating func leave(_ id: Value.ID, _ holder: Int) {
    release(id, .own(holder), grace)
    untold.insert(id)
  }

  /// All that others were told of this process.
  var roll: [Value] { Array(told.values) }

  // MARK: Other processes

  /// Takes what another process has told.
  mutating func receive(joined: [Value], left: [Value], from process: Int) {
    for value in left { release(value.id, .process(process), grace) }
    for value in joined {
      stale[process]?.remove(value.id)
      hold(value, .process(process))
    }
  }

  /// Another process begins to tell all that it has.
  mutating func beginRoll(of process: Int) {
    stale[process] = Set(
      entries.filter { $0.value.words.contains { $0.holder == .process(process) } }.keys)
  }

  /// Another process has told all that it has.
  mutating func endRoll(of process: Int) { drop(stale.removeValue(forKey: process) ?? [], of: process, grace) }

  /// Another process is gone.
  ///
  /// - Parameters:
  ///   - process: its number.
  ///   - grace: for how many ticks those are shown whom it alone had.
  mutating func forget(_ process: Int, grace: Int) {
    beginRoll(of: process)
    drop(stale.removeValue(forKey: process) ?? [], of: process, grace)
  }

  private mutating func drop(_ ids: Set<Value.ID>, of process: Int, _ grace: Int) {
    for id in ids { release(id, .process(process), grace) }
  }

  // MARK: Both

  /// How many hold an entry.
  func holderCount(of id: Value.ID) -> Int { entries[id]?.words.count ?? 0 }

  private mutating func hold(_ value: Value, _ holder: Holder) {
    guard var entry = entries[value.id] else {
      lastEntry += 1
      entries[value.id] = Entry(number: lastEntry, words: [(holder, value)], value: value)
      isChanged = true
      return
    }
    // What is only said again is not the last word.
    if !entry.words.contains(where: { $0.holder == holder && $0.value == value }) {
      entry.words.removeAll { $0.holder == holder }
      entry.words.append((holder, value))
      if entry.value != value { isChanged = true }
      entry.value = value
    }
    entry.leavesAt = nil
    absent.remove(value.id)
    entries[value.id] = entry
  }

  /// Takes a holder's word away; if it was the last one, the grace begins.
  private mutating func release(_ id: Value.ID, _ holder: Holder, _ grace: Int) {
    guard var entry = entries[id] else { return }
    entry.words.removeAll { $0.holder == holder }
    if let last = entry.words.last {
      if entry.value != last.value { isChanged = true }
      entry.value = last.value
    } else if entry.leavesAt == nil {
      entry.leavesAt = ticks + grace
      absent.insert(id)
    }
    entries[id] = entry
  }

  /// Time goes on.
  ///
  /// - Parameter isSettled: whether others have had the time to come back, so that what is there can be shown.
  /// - Returns: what that has brought.
  mutating func tick(isSettled: Bool) -> Tick {
    ticks += 1
    for id in absent {
      guard let end = entries[id]?.leavesAt, ticks >= end else { continue }
      entries[id] = nil
      absent.remove(id)
      isChanged = true
    }
    let change = takeChange()
    guard isSettled else { return Tick(change: change, shown: nil, isIdle: false) }
    defer { isChanged = false }
    return Tick(change: change, shown: isChanged ? list : nil, isIdle: absent.isEmpty)
  }

  private mutating func takeChange() -> Change {
    var change = Change()
    for id in untold {
      let (now, before) = (entries[id]?.own, told[id])
      guard now != before else { continue }
      if let now { change.joined.append(now) } else if let before { change.left.append(before) }
      told[id] = now
    }
    untold = []
    return change
  }

  /// Those who are there, in the order in which they have come.
  private var list: IdentifiedArray<Value> {
    IdentifiedArray(entries.values.sorted { $0.number < $1.number }.map(\.value))
  }
}
