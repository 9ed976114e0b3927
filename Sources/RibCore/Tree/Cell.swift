/// Where the state of a node is: its own, or a part of its parent's.
class Cell<State> {
  /// The state; nil if it is part of a parent's that has it no more.
  var state: State? { preconditionFailure("abstract") }

  /// Lets the state be changed in place.
  ///
  /// - Returns: false if there is none any more.
  func modify(_ change: (inout State) -> Void) -> Bool { preconditionFailure("abstract") }

  // MARK: Transactions

  func commit() {}
  func rollBack() {}
}

/// The state of a node that owns it.
final class OwnedCell<State>: Cell<State> {
  private var current: State
  /// As of the last commit.
  private var committed: State

  init(_ state: State) {
    current = state
    committed = state
  }

  override var state: State? { current }

  override func modify(_ change: (inout State) -> Void) -> Bool {
    change(&current)
    return true
  }

  override func commit() { committed = current }
  override func rollBack() { current = committed }
}

/// The state of a node whose parent owns it, or has it from its own parent: the owner saves it and brings it back.
final class EmbeddedCell<Whole, State>: Cell<State> {
  private let whole: Cell<Whole>
  private let lens: Lens<Whole, State>

  init(in whole: Cell<Whole>, _ lens: Lens<Whole, State>) {
    self.whole = whole
    self.lens = lens
  }

  override var state: State? { whole.state.flatMap(lens.read) }

  override func modify(_ change: (inout State) -> Void) -> Bool {
    var isThere = false
    _ = whole.modify { isThere = lens.modify(&$0, change) }
    return isThere
  }
}
