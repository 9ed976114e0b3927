/// Where the state of a node is: its own, or a part of its parent's.
class Cell<State> {
  /// The state; nil if it is part of a parent's that has it no more.
  var state: State? { preconditionFailure("abstract") }

  /// Reads the state once the tree has settled: until the transaction ends it does not change.
  ///
  /// - Returns: false if there is none any more.
  func readSettled(_ body: (State) -> Void) -> Bool { preconditionFailure("abstract") }

  /// Reads the state as it was, and as it is: as it was committed, or before the last change that was to be compared.
  ///
  /// - Returns: false if one is missing.
  func compare(_ body: (_ before: State, _ after: State) -> Void) -> Bool { preconditionFailure("abstract") }

  /// Lets the state be changed in place.
  ///
  /// - Parameters:
  ///   - isCompared: whether ``compare(_:)`` follows.
  ///   - change: changes it.
  /// - Returns: what became of it.
  func modify(isCompared: Bool = false, _ change: (inout State) -> Void) -> StateChange {
    preconditionFailure("abstract")
  }

  /// Whether a change of the state changes nothing else: false if the way to it is computed or observed.
  var isStored: Bool { true }
  /// Whether a change of the state concerns no route of the parent's but the one that leads here.
  var isApart: Bool { true }

  // MARK: Transactions

  func commit() {}
  func rollBack() {}
}

/// What became of a state that was to be changed.
enum StateChange {
  /// There is none any more.
  case missing
  /// It may be another now, but is the same child's.
  case within
  /// It, or one that it is a part of, is another child's now.
  case identity
}

/// The state of a node that owns it.
final class OwnedCell<State>: Cell<State> {
  private(set) var current: State
  /// As of the last commit.
  private(set) var committed: State

  init(_ state: State) {
    current = state
    committed = state
  }

  override var state: State? { current }

  override func readSettled(_ body: (State) -> Void) -> Bool {
    body(current)
    return true
  }

  override func compare(_ body: (State, State) -> Void) -> Bool {
    body(committed, current)
    return true
  }

  override func modify(isCompared: Bool, _ change: (inout State) -> Void) -> StateChange {
    change(&current)
    return .within
  }

  override func commit() { committed = current }
  override func rollBack() { current = committed }
}

/// The state of a node whose parent owns it, or has it from its own parent: the owner saves it and brings it back.
final class EmbeddedCell<Whole, State>: Cell<State> {
  private let whole: Cell<Whole>
  private let lens: Lens<Whole, State>
  private let isOnlyRoute: Bool
  /// What was read since the tree settled: parts of it need not go the whole way again.
  private var settled: State?
  /// Where it was last, in the whole as it is and in the committed one.
  private var hints = (current: 0, committed: 0)
  /// The change that is to be compared: the way from the whole to its committed state may be long.
  private var change: (before: State, after: State)?

  /// A part of a state.
  ///
  /// - Parameters:
  ///   - whole: where the parent's state is.
  ///   - lens: the way from there.
  ///   - isOnlyRoute: whether no other route of the parent's depends on the same part of its state.
  init(in whole: Cell<Whole>, _ lens: Lens<Whole, State>, isOnlyRoute: Bool) {
    self.whole = whole
    self.lens = lens
    self.isOnlyRoute = isOnlyRoute
  }

  override var isStored: Bool { lens.extent != nil }
  override var isApart: Bool { isOnlyRoute }

  override var state: State? { whole.state.flatMap { lens.get($0, &hints.current) } }

  override func readSettled(_ body: (State) -> Void) -> Bool {
    if settled == nil { _ = whole.readSettled { settled = lens.get($0, &hints.current) } }
    guard let settled else { return false }
    body(settled)
    return true
  }

  override func compare(_ body: (State, State) -> Void) -> Bool {
    if let change {
      self.change = nil
      body(change.before, change.after)
      return true
    }
    var isThere = false
    let hasBoth = whole.compare { committed, current in
      guard let before = lens.get(committed, &hints.committed), let after = lens.get(current, &hints.current) else {
        return
      }
      isThere = true
      body(before, after)
    }
    return hasBoth && isThere
  }

  override func modify(isCompared: Bool, _ change: (inout State) -> Void) -> StateChange {
    var ours = StateChange.missing
    let outer = whole.modify {
      ours = lens.change(&$0, &hints.current) { state in
        guard isCompared else { return change(&state) }
        let before = state
        change(&state)
        self.change = (before, state)
      }
    }
    return ours == .within && outer == .identity ? .identity : ours
  }

  override func commit() { forget() }
  override func rollBack() { forget() }

  private func forget() {
    settled = nil
    change = nil
  }
}
