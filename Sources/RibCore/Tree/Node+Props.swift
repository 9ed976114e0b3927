/// How a node tells its children their props, and is told its own.
extension Node {
  /// Reduces the props as the parent's state has them now, unless they equal the last ones, and nothing asks for them
  /// again.
  func reduceProps(again: Bool, in tree: Tree) -> Bool {
    guard let told, let new = told.ask() else { return false }
    let areOthers = again || new != told.last
    guard areOthers || told.areDue else { return false }
    touch(tree)
    if !areOthers { told.wereToldAgain = true }
    told.areDue = false
    told.last = new
    reduce(in: tree, .props(new)) { riblet, state in riblet.reduce(into: &state, props: new) }
    return true
  }

  func tellChildren(in tree: Tree) {
    stateToTell = cell.state.map { StateToTell($0) }
    for route in anyRoutes where route.hasProps {
      for case let child? in route.children where child.isAttached && child.updateProps(in: tree) {
        // The child's state may be a part of this one.
        stateToTell = cell.state.map { StateToTell($0) }
      }
    }
    stateToTell = nil
  }

  /// A child's props, made from the present state.
  func props<Props>(by makeProps: (R.State) -> Props) -> Props? {
    (stateToTell?.state ?? cell.state).map(makeProps)
  }
}

/// The props of a node: the last ones, and the way to the present ones.
final class ToldProps<Props> {
  /// The props as the parent's state has them now.
  let ask: () -> Props?
  /// The props that the riblet was told last.
  var last: Props?
  /// Whether the riblet has to be told its props again, even if they are equal: its state was replaced.
  var areDue = false
  /// Whether the riblet was told equal props in this transaction: not a second time, as the parent may replace the child's state in
  /// answer to what the child says of its props, without end.
  var wereToldAgain = false
  private var saved: Props?

  init(_ ask: @escaping () -> Props?) { self.ask = ask }

  func save() { saved = last }
  func commit() { (areDue, wereToldAgain) = (false, false) }

  func rollBack() {
    last = saved
    (areDue, wereToldAgain) = (false, false)
  }
}

/// A state that is read for several children: an object, so that a node without such children has room for a reference
/// only.
final class StateToTell<State> {
  let state: State

  init(_ state: State) { self.state = state }
}
