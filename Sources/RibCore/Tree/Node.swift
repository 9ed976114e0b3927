import Wire

/// A riblet's logic in the tree: its state, its children and its running effects.
///
/// ``ViewNode`` adds what is seen of it.
class Node<R: Router>: AnyNode {
  let riblet: R
  let routes: [Attachments<R>]
  private(set) var state: R.State
  private let onOutput: (R.Output, Tree) -> Void
  private var saved: Saved?

  private struct Saved {
    let state: R.State
    let effects: [(token: EffectToken, id: EffectID?)]
  }

  init(
    _ riblet: R, id: NodeID, typeName: String, onOutput: @escaping (R.Output, Tree) -> Void
  ) {
    self.riblet = riblet
    self.onOutput = onOutput
    routes = riblet.routes.map { $0.makeAttachments() }
    state = riblet.makeState()
    super.init(id: id, typeName: typeName)
  }

  // MARK: Actions

  override final func perform(_ action: JSONElement, in tree: Tree) throws(Refusal) {
    let viewAction: R.ViewAction
    do {
      viewAction = try ActionDecoder.decode(from: action)
    } catch {
      throw Refusal(error, decoding: typeName)
    }
    reduce(in: tree) { riblet, state in riblet.reduce(into: &state, viewAction: viewAction) }
  }

  override final func receive(_ report: any Sendable, in tree: Tree) {
    guard let report = report as? Send<R>.Report else {
      preconditionFailure("a report of another riblet was sent to \(typeName)")
    }
    switch report {
    case .action(let action): reduce(in: tree) { riblet, state in riblet.reduce(into: &state, internalAction: action) }
    case .output(let output): tree.enqueue(for: self) { [onOutput] tree in onOutput(output, tree) }
    }
  }

  override final func didBecomeActive(in tree: Tree) {
    reduce(in: tree) { riblet, state in riblet.didBecomeActive(&state) }
  }

  override final func willResignActive(in tree: Tree) { riblet.willResignActive(&state) }

  /// Lets `change` work on the state, and carries out the effect that it returns.
  final func reduce(in tree: Tree, _ change: (R, inout R.State) -> Effect<R>) {
    touch(tree)
    if !routes.isEmpty { tree.unsettle(self) }
    interpret(change(riblet, &state), in: tree)
  }

  private func interpret(_ effect: Effect<R>, in tree: Tree) {
    switch effect.operation {
    case .none: break
    case .send(let action):
      tree.enqueue(for: self) { [unowned self] tree in
        reduce(in: tree) { riblet, state in riblet.reduce(into: &state, internalAction: action) }
      }
    case .output(let output): tree.enqueue(for: self) { [onOutput] tree in onOutput(output, tree) }
    case .cancel(let id): cancelEffects(in: tree) { $0 == id }
    case .merge(let effects): for effect in effects { interpret(effect, in: tree) }
    case .run(let id, let cancelInFlight, let work):
      if cancelInFlight, let id { cancelEffects(in: tree) { $0 == id } }
      let token = tree.startEffect(of: self) { token, port in try await work(Send(token: token, port: port)) }
      effects.append((token, id))
    }
  }

  // MARK: Children

  override final func reconcile(in tree: Tree) {
    for route in routes { route.reconcile(with: state, of: self, in: tree) }
  }

  override final func children(on route: String) -> [AnyNode]? {
    routes.first { $0.name == route }?.children
  }

  override final var children: [AnyNode] { routes.flatMap(\.children) }

  // MARK: Transactions

  override func save() {
    saved = Saved(state: state, effects: effects)
    for route in routes { route.save() }
  }

  override func commit() {
    saved = nil
    for route in routes { route.commit() }
  }

  override func rollBack() {
    if let saved {
      state = saved.state
      effects = saved.effects
    }
    saved = nil
    for route in routes { route.rollBack() }
  }
}
