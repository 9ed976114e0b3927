/// How a node runs its riblet's reducers.
extension Node {
  func perform(_ action: R.ViewAction, by client: ActingClient, in tree: Tree) {
    guard passes(.viewAction, action, in: tree) else { return }
    reduce(in: tree, .viewAction(action)) { riblet, state in
      guard riblet.authorize(action, by: client, in: state) else {
        tree.refuse(.notAuthorized)
        return nil
      }
      return riblet.reduce(into: &state, viewAction: action)
    }
  }

  func receive(_ action: R.InternalAction, in tree: Tree) {
    guard passes(.internalAction, action, in: tree) else { return }
    reduce(in: tree, .internalAction(action)) { riblet, state in riblet.reduce(into: &state, internalAction: action) }
  }

  /// Asks the app's middleware, if there is any.
  private func passes(_ kind: SeenAction.Kind, _ action: @autoclosure () -> Any, in tree: Tree) -> Bool {
    guard let gate = tree.gate else { return true }
    switch gate(SeenAction(kind: kind, action: action(), riblet: typeName, node: id)) {
    case .pass: return true
    case .refuse(let reason):
      tree.refuse(reason)
      return false
    }
  }

  /// Runs `reduce` on the state in place, and carries out the effect that it returns.
  func reduce(
    in tree: Tree, _ event: @autoclosure () -> Reducer<R>.Event, _ reduce: (R, inout R.State) -> Effect<R>?
  ) {
    touch(tree)
    compareOwners(in: tree)
    var effect = Effect<R>.none
    let change = cell.modify(isCompared: keepsEarlierState) { state in
      guard hasReducers else { return effect = reduce(riblet, &state) ?? .none }
      let bodies = reducers.map { $0.begin(state) }
      guard let own = reduce(riblet, &state) else { return }
      var effects = [own]
      let event = event()
      for body in bodies { effects.append(body(&state, event)) }
      effect = .merge(effects)
    }
    unsettleOwners(after: change, in: tree)
    guard change != .missing else { return tree.drop() }
    tree.witness?(Reduction(node: id, typeName: typeName, cause: event().cause))
    noteChange(in: tree)
    interpret(effect, in: tree)
  }
}
