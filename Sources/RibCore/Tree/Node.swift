import Wire

/// A node of a riblet: its state, its children and its running effects.
///
/// ``ViewNode`` adds the view.
class Node<R: Router>: AnyNode {
  let riblet: R
  let cell: Cell<R.State>
  private let reducers: [Reducer<R>]
  /// Whether there are any: an array of a generic type is slow to look into where the type is not known.
  private let hasReducers: Bool
  private let routes: [Attachments<R>]
  /// The same attachments: an array of a generic class is slow to read where the class's parameter is not known.
  private let anyRoutes: [AnyAttachments]
  private let link: ParentLink<R.Output, R.Props>
  /// The props, in an object that most riblets do without: a stored value of a generic type would slow down every node.
  private let told: ToldProps<R.Props>?
  /// The state while children are told their props: the way to an embedded one is gone once, not for each child.
  private var stateToTell: StateToTell<R.State>?
  private var plan = EffectPlan<R>()
  private var saved: (effects: [RunningEffect], plan: EffectPlan<R>)?

  init(
    _ riblet: R, id: NodeID, typeName: String, parent: AnyNode?, cell: Cell<R.State>,
    _ link: ParentLink<R.Output, R.Props>
  ) {
    self.riblet = riblet
    self.cell = cell
    self.link = link
    told = link.props.map { ToldProps($0) }
    reducers = riblet.reducers
    hasReducers = !reducers.isEmpty
    routes = riblet.routes.map { $0.makeAttachments() }
    anyRoutes = routes
    super.init(id: id, typeName: typeName, parent: parent, isEmbedded: !(cell is OwnedCell<R.State>))
    precondition(
      Set(routes.map(\.name)).count == routes.count,
      "\(typeName) has two routes of one name: \(routes.map(\.name).joined(separator: ", "))")
    checkParts()
  }

  /// Makes sure that no two children embed the same part of the state: neither would learn of the other's changes.
  private func checkParts() {
    let embedded = anyRoutes.filter(\.areEmbedded)
    guard embedded.count > 1 else { return }
    for (index, route) in embedded.enumerated() {
      for other in embedded[..<index] where !(route.sharesPart && other.sharesPart) {
        guard let ours = route.extent, let theirs = other.extent else { continue }
        precondition(
          !ours.overlaps(theirs),
          "the routes \(other.name) and \(route.name) of \(typeName) lead to one part of its state; give each its own")
      }
    }
  }

  // MARK: Actions

  override final func perform(_ action: JSONElement, in tree: Tree) throws(Refusal) {
    let viewAction: R.ViewAction
    do {
      viewAction = try ActionDecoder.decode(from: action)
    } catch {
      throw Refusal(error, decoding: R.ViewAction.self, from: action, of: typeName)
    }
    perform(viewAction, in: tree)
  }

  final func perform(_ action: R.ViewAction, in tree: Tree) {
    guard passes(.viewAction, action, in: tree) else { return }
    reduce(in: tree, .viewAction(action)) { riblet, state in riblet.reduce(into: &state, viewAction: action) }
  }

  override final func receive(_ report: any Sendable, in tree: Tree) {
    guard let report = report as? Send<R>.Report else {
      preconditionFailure("a report of another riblet was sent to \(typeName)")
    }
    switch report {
    case .action(let action): receive(action, in: tree)
    case .output(let output): tree.enqueue(for: self) { [link] tree in link.tell(output, tree) }
    }
  }

  final func receive(_ action: R.InternalAction, in tree: Tree) {
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

  override final var hasProps: Bool { told != nil }

  override final func updateProps(again: Bool = false, in tree: Tree) -> Bool {
    guard let told, let new = told.ask(), again || new != told.last else { return false }
    touch(tree)
    told.last = new
    reduce(in: tree, .props(new)) { riblet, state in riblet.reduce(into: &state, props: new) }
    return true
  }

  override final func recorded(report: any Sendable) -> RecordedTransaction.Report {
    (report as? Send<R>.Report)?.recorded ?? .opaque("a report of another riblet")
  }

  override final func report(_ recorded: RecordedTransaction.Report) throws(ReplayError) -> any Sendable {
    try Send<R>.Report(recorded, of: typeName)
  }

  override final func didRestore(_ interrupted: [InterruptedEffect], in tree: Tree) {
    reduce(in: tree, .restoration) { riblet, state in riblet.didRestore(&state, interrupted: interrupted) }
  }

  override final func didBecomeActive(in tree: Tree) {
    reduce(in: tree, .activation) { riblet, state in riblet.didBecomeActive(&state) }
  }

  override final func willResignActive(in tree: Tree) {
    touch(tree)
    // An embedded state may be gone already; then the riblet is not called.
    let change = cell.modify(isCompared: hasRoutes && !isNew) { riblet.willResignActive(&$0) }
    tree.witness?(Reduction(node: id, typeName: typeName, cause: .resignation))
    unsettleOwners(after: change, in: tree)
    noteChange(in: tree)
  }

  /// Runs `reduce` on the state in place, and carries out the effect that it returns.
  final func reduce(
    in tree: Tree, _ event: @autoclosure () -> Reducer<R>.Event, _ reduce: (R, inout R.State) -> Effect<R>?
  ) {
    touch(tree)
    var effect = Effect<R>.none
    let change = cell.modify(isCompared: hasRoutes && !isNew) { state in
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

  /// Invalidates what depends on the bits of the state that have changed: routes, props and embedded children.
  override final func noteChange(in tree: Tree) {
    guard hasRoutes else { return }
    guard !isNew else { return touchParts(tree) }
    if hasChildrenWithProps { tree.unsettle(self, on: nil) }
    // Until this transaction reconciles them, the children match the committed state. Afterwards they may match a state
    // in between, so that a state with the committed bits has to be reconciled as well.
    let areCommitted = lastReconciliation != tree.transactionAttempts
    let isKnown = cell.compare { before, after in
      for route in routes {
        if let extent = route.extent, haveSameBits(before, after, in: extent) {
          if !areCommitted { tree.unsettle(self, on: route) }
          continue
        }
        tree.unsettle(self, on: route)
        guard route.areEmbedded else { continue }
        route.compare(before, and: after) { child in
          child.touch(tree)
          child.noteChange(in: tree)
        }
      }
    }
    guard isKnown else { return touchParts(tree) }
    // An embedded state may be as it was committed again, while the children of its node match a state in between.
    guard hasTouchedParts else { return }
    for route in routes where route.areEmbedded {
      for case let child? in route.children where child.isTouched { child.noteChange(in: tree) }
    }
  }

  // MARK: Effects

  private func interpret(_ effect: Effect<R>, in tree: Tree, sequence: Int? = nil) {
    switch effect.operation {
    case .none: break
    case .send(let action):
      tree.enqueue(for: self) { [unowned self] tree in receive(action, in: tree) }
    case .output(let output): tree.enqueue(for: self) { [link] tree in link.tell(output, tree) }
    case .publish(let publish): tree.publish(publish)
    case .cancel(let id):
      plan.cancel(id)
      cancelEffects(in: tree) { $0 == id }
    case .refuse(let reason): tree.refuse(reason)
    case .merge(let effects): for effect in effects { interpret(effect, in: tree, sequence: sequence) }
    case .run(let run): start(run, in: tree, sequence: sequence)
    case .concatenate(let effects):
      goOn(with: plan.begin(effects[...], within: sequence), in: tree)
    case .throttle(let throttle):
      if plan.throttle(throttle) { letThrough(throttle, in: tree, sequence: sequence) }
    case .endThrottle(let throttle):
      if let next = plan.endThrottle(throttle) { letThrough(next, in: tree, sequence: nil) }
    }
  }

  /// Carries out a throttled effect and begins the time in which others are held back; no sequence waits for that time.
  private func letThrough(_ throttle: Effect<R>.Throttle, in tree: Tree, sequence: Int?) {
    interpret(throttle.effect, in: tree, sequence: sequence)
    interpret(throttle.window, in: tree)
  }

  private func start(_ run: Effect<R>.Run, in tree: Tree, sequence: Int?) {
    if run.cancelsInFlight, let id = run.id { cancelEffects(in: tree) { $0 == id } }
    // An inactive node starts no effects.
    guard isActive else {
      if let sequence { plan.abandon(sequence) }
      return tree.drop()
    }
    let execution = run.execute()
    let work = execution.work
    let running = tree.startEffect(of: self, run.id, run.key, execution.rest, sequence: sequence) { running, port in
      try await work(Send(token: running.token, idempotencyKey: running.key, port: port))
    }
    effects.append(running)
    if let sequence { plan.didStart(in: sequence) }
  }

  /// Starts the steps of a sequence one after the other, until one has to be waited for.
  private func goOn(with sequence: Int, in tree: Tree) {
    var current: Int? = sequence
    while let sequence = current {
      guard let step = plan.nextStep(of: sequence) else {
        current = plan.end(sequence)
        continue
      }
      // The step counts as running itself, so that a part of it that ends at once does not end the whole step.
      plan.didStart(in: sequence)
      interpret(step, in: tree, sequence: sequence)
      guard plan.didEnd(in: sequence) else { return }
    }
  }

  override final func isAwaited(_ effect: RunningEffect) -> Bool { effect.sequence.map(plan.contains) ?? false }

  override final func effectEnded(_ effect: RunningEffect, hasFailed: Bool, in tree: Tree) {
    touch(tree)
    effects.removeAll { $0.token == effect.token }
    guard let sequence = effect.sequence else { return }
    if hasFailed { return plan.abandon(sequence) }
    if plan.didEnd(in: sequence) { goOn(with: sequence, in: tree) }
  }

  override final func giveUp(_ effect: RunningEffect) {
    super.giveUp(effect)
    if let sequence = effect.sequence { plan.abandon(sequence) }
  }

  override final func cancelEffects(in tree: Tree, where matches: (EffectID?) -> Bool) {
    for effect in effects where matches(effect.id) {
      if let sequence = effect.sequence { plan.abandon(sequence) }
    }
    super.cancelEffects(in: tree, where: matches)
    if !isActive { plan = EffectPlan() }
  }

  // MARK: Children

  override final var attachments: [AnyAttachments] { anyRoutes }
  override final var hasRoutes: Bool { !anyRoutes.isEmpty }
  override final var isStored: Bool { cell.isStored }
  override final var isApart: Bool { cell.isApart }

  /// Whether just one route depends on these bytes of the state; false if the bytes are not known.
  final func hasOneRoute(to part: Range<Int>?) -> Bool {
    guard let part else { return false }
    return anyRoutes.count { $0.extent?.overlaps(part) ?? true } == 1
  }

  override final func reconcile(in tree: Tree) {
    var hasChanged = false
    for route in routes where route.isOutdated(below: self) {
      // Read again for each route: a child that resigns may change the state.
      guard let state = cell.state else { break }
      if route.reconcile(with: state, of: self, in: tree) { hasChanged = true }
    }
    if hasChildrenWithProps { tellChildren(in: tree) }
    guard hasChanged else { return }
    hasOtherChildren = true
    let viewable = viewable
    viewable.touch(tree)
    viewable.childrenDidChange()
  }

  private func tellChildren(in tree: Tree) {
    stateToTell = cell.state.map { StateToTell($0) }
    for route in anyRoutes where route.hasProps {
      for case let child? in route.children where child.isAttached && child.updateProps(in: tree) {
        // The child's state may be a part of this one.
        stateToTell = cell.state.map { StateToTell($0) }
      }
    }
    stateToTell = nil
  }

  /// What a child's props are as the state is now.
  final func props<Props>(by makeProps: (R.State) -> Props) -> Props? {
    (stateToTell?.state ?? cell.state).map(makeProps)
  }

  override final func dismiss(_ child: AnyNode, in tree: Tree) -> Bool {
    for route in routes {
      guard let index = route.children.firstIndex(where: { $0 === child }) else { continue }
      var isDismissed = false
      reduce(in: tree, .dismissal) { _, state in
        isDismissed = route.dismiss(index, from: &state)
        return isDismissed ? Effect.none : nil
      }
      return isDismissed
    }
    return false
  }

  // MARK: Snapshots

  override final var stateVersion: Int { R.stateVersion }

  override final func encodeState(_ encoder: ViewEncoder) throws(CaptureError) -> [UInt8]? {
    guard !isEmbedded, let state = cell.state as? any Encodable else { return nil }
    var json = JSONWriter()
    try encoder.write(state, into: &json)
    return json.bytes
  }

  override final func makeStateWriter() -> StateWriter? {
    guard !isEmbedded, let type = R.State.self as? any Encodable.Type else { return nil }
    func make<State: Encodable>(_ type: State.Type) -> StateWriter? {
      (cell as? OwnedCell<State>).map { CellStateWriter($0) }
    }
    return make(type)
  }

  override final var changedParts: NodeParts {
    var parts: NodeParts = hasOtherChildren ? .children : []
    guard let before = saved?.effects, !(before.isEmpty && effects.isEmpty) else { return parts }
    if !before.elementsEqual(effects, by: { $0.token == $1.token }) { parts.insert(.effects) }
    return parts
  }

  override final func roundTrip() throws -> (state: Any, restored: Any)? {
    guard let type = R.State.self as? any Decodable.Type else { return nil }
    return try TransientValues.$carried.withValue(TransientValues()) {
      guard let json = try encodeState(StateCoder.makeEncoder()), let state = cell.state else { return nil }
      return (state, try StateCoder.decode(type, from: try StateCoder.read(String(decoding: json, as: UTF8.self))))
    }
  }

  override final var staleRoute: String? {
    guard let state = cell.state else { return nil }
    return routes.first { !$0.isCurrent(with: state) }?.name
  }

  // MARK: Transactions

  override func save() {
    super.save()
    saved = (effects, plan)
    told?.save()
    for route in anyRoutes { route.save() }
  }

  override func commit() {
    cell.commit()
    saved = nil
    hasOtherChildren = false
    for route in anyRoutes { route.commit() }
  }

  override func rollBack() {
    super.rollBack()
    cell.rollBack()
    if let saved { (effects, plan) = saved }
    told?.rollBack()
    saved = nil
    hasOtherChildren = false
    for route in anyRoutes { route.rollBack() }
  }
}

/// The props of a node: the last ones, and the way to the present ones.
private final class ToldProps<Props> {
  /// The props as the parent's state has them now.
  let ask: () -> Props?
  /// The props that the riblet was told last.
  var last: Props?
  private var saved: Props?

  init(_ ask: @escaping () -> Props?) { self.ask = ask }

  func save() { saved = last }
  func rollBack() { last = saved }
}

/// A state that is read for several children: an object, so that a node without such children has room for a reference only.
private final class StateToTell<State> {
  let state: State

  init(_ state: State) { self.state = state }
}
