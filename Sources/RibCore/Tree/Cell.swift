/// Access to a node's state, which the node owns, or which is embedded: a part of its parent's state.
class Cell<State> {
  /// The state; nil if the state is embedded, and the parent's state has no such part any more.
  var state: State? { preconditionFailure("abstract") }

  /// Reads the state once the tree has settled: it does not change again in this transaction, so a cell may cache it.
  ///
  /// - Returns: false if there is no state any more.
  func readSettled(_ body: (State) -> Void) -> Bool { preconditionFailure("abstract") }

  /// Calls `body` with an earlier state and the present one.
  ///
  /// The earlier state is the committed one; or, if the state is embedded, the one that ``modify(isCompared:_:)`` was
  /// asked to keep, until ``didCompare()``.
  ///
  /// - Returns: false if there is no state now, or was none then.
  func compare(_ body: (_ before: State, _ after: State) -> Void) -> Bool { preconditionFailure("abstract") }

  /// Lets the state be changed in place.
  ///
  /// - Parameters:
  ///   - isCompared: whether to keep the state before the change for ``compare(_:)``.
  ///   - change: changes the state.
  /// - Returns: whether there was a state, and whether it is still the state of the same child.
  func modify(isCompared: Bool = false, _ change: (inout State) -> Void) -> StateChange {
    preconditionFailure("abstract")
  }

  /// Lets go of the state that was kept to be compared.
  func didCompare() {}

  /// Has the cell keep what ``isReplaced`` compares.
  func watch() {}
  /// Whether something other than the riblet's own reducers has changed the state in this transaction.
  ///
  /// The present state is compared with the one that the riblet's reducers have left or, if none has run, with the
  /// committed one. Always false for a cell that is not watched.
  var isReplaced: Bool { false }
  /// The state as of the last commit; nil if there was none.
  var committedState: State? { preconditionFailure("abstract") }

  /// Whether a change of the state changes no other part of the parent's state: false if the key path that leads to the
  /// state goes through a computed or observed property or an object.
  var isStored: Bool { true }
  /// Whether no route of the parent but the one to this child depends on the state.
  var isApart: Bool { true }

  // MARK: Transactions

  func commit() {}
  func rollBack() {}
}

/// The outcome of changing a state.
enum StateChange {
  /// There is no state any more, and nothing was changed.
  case missing
  /// The state may have changed, and is still the state of the same child.
  case within
  /// The state, or one that embeds it, has another identity now: it is the state of another child.
  case identity
}

/// A state that its node owns.
final class OwnedCell<State>: Cell<State> {
  private(set) var current: State
  /// The state as of the last commit.
  private(set) var committed: State

  init(_ state: State) {
    current = state
    committed = state
  }

  override var state: State? { current }
  override var committedState: State? { committed }

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

/// A state embedded in the parent's, which may itself be embedded; the node that owns the outermost state saves it.
final class EmbeddedCell<Whole, State>: Cell<State> {
  private let whole: Cell<Whole>
  private let lens: Lens<Whole, State>
  private let isOnlyRoute: Bool
  /// The state since the tree settled, kept so that states embedded in it are not looked up from the outermost one.
  private var settled: State?
  /// Hints for the lens: where it found the state last, in the present state of the parent and in the committed one.
  private var hints = (current: 0, committed: 0)
  /// The state before the first change that was not compared yet: a lookup of the committed state may be long.
  private var before: State?
  /// The state after that change, until it is read once.
  private var after: State?
  /// Whether ``modify(isCompared:_:)`` was asked to keep states since the last comparison.
  ///
  /// To ask the values themselves, or to replace them, is slow where their type is not known.
  private var isKept = false
  /// Whether the state was looked up since the tree settled.
  private var isSettled = false
  private var isWatched = false
  /// The state as the riblet's own reducers have left it in this transaction; nil if none has run, or the cell is not
  /// watched.
  private var lastOwn: State?

  /// A cell of a part of the parent's state.
  ///
  /// - Parameters:
  ///   - whole: the cell of the parent's state.
  ///   - lens: leads from the parent's state to the part.
  ///   - isOnlyRoute: whether no other route of the parent depends on the same bytes.
  init(in whole: Cell<Whole>, _ lens: Lens<Whole, State>, isOnlyRoute: Bool) {
    self.whole = whole
    self.lens = lens
    self.isOnlyRoute = isOnlyRoute
  }

  override var isStored: Bool { lens.extent != nil }
  override var isApart: Bool { isOnlyRoute }

  override var state: State? { whole.state.flatMap { lens.get($0, &hints.current) } }

  override func readSettled(_ body: (State) -> Void) -> Bool {
    if !isSettled {
      _ = whole.readSettled { settled = lens.get($0, &hints.current) }
      isSettled = true
    }
    guard let settled else { return false }
    body(settled)
    return true
  }

  override var committedState: State? { whole.committedState.flatMap { lens.get($0, &hints.committed) } }

  override func watch() { isWatched = true }

  override var isReplaced: Bool {
    guard isWatched, let state else { return false }
    return (lastOwn ?? committedState).map { !haveSameValue($0, state) } ?? true
  }

  override func compare(_ body: (State, State) -> Void) -> Bool {
    if isKept, let before {
      guard let now = after ?? state else { return false }
      after = nil
      body(before, now)
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
    // Let go before the change, which would have to copy a state that is held twice.
    if isWatched { lastOwn = nil }
    if isCompared { isKept = true }
    let outer = whole.modify {
      ours = lens.change(&$0, &hints.current) { state in
        if isCompared { before = state }
        change(&state)
        if isCompared { after = state }
        if isWatched { lastOwn = state }
      }
    }
    // Read back, as a computed property, or an enum's `embed`, may have made another value of the state.
    if isWatched, ours == .within, let state { lastOwn = state }
    return ours == .within && outer == .identity ? .identity : ours
  }

  override func commit() { forget() }
  override func rollBack() { forget() }

  override func didCompare() {
    guard isKept else { return }
    isKept = false
    before = nil
    after = nil
  }

  private func forget() {
    if isSettled { settled = nil }
    if isWatched { lastOwn = nil }
    isSettled = false
    didCompare()
  }
}
