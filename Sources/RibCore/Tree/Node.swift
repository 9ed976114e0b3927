import Wire

/// A node of a riblet: its state, its children and its running effects.
///
/// ``ViewNode`` adds the view.
class Node<R: Router>: AnyNode {
  let riblet: R
  let cell: Cell<R.State>
  let reducers: [Reducer<R>]
  /// Whether there are any: an array of a generic type is slow to look into where the type is not known.
  let hasReducers: Bool
  let routes: [Attachments<R>]
  /// The same attachments: an array of a generic class is slow to read where the class's parameter is not known.
  let anyRoutes: [AnyAttachments]
  let link: ParentLink<R.Output, R.Props>
  /// The props, in an object that most riblets do without: a stored value of a generic type would slow down every node.
  let told: ToldProps<R.Props>?
  /// The state while children are told their props: the way to an embedded one is gone once, not for each child.
  var stateToTell: StateToTell<R.State>?
  var plan = EffectPlan<R>()
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
    if told != nil { cell.watch() }
    checkParts()
  }

  override func accept(_ visitor: any RibletVisitor) {
    guard let riblet = riblet as? any Riblet else { return }
    visitor.visit(riblet, isEmbedded: isEmbedded)
  }

  // MARK: Actions

  override final func perform(_ action: JSONElement, by client: ActingClient, in tree: Tree) throws(Refusal) {
    let viewAction: R.ViewAction
    do {
      viewAction = try ActionDecoder.decode(from: action)
    } catch {
      let secret = tree.takesSecrets ? .present : secret
      throw Refusal(error, decoding: R.ViewAction.self, from: action, of: typeName, secret)
    }
    perform(viewAction, by: client, in: tree)
  }

  override final func actionName(of action: JSONElement) -> String? {
    guard let viewAction: R.ViewAction = try? ActionDecoder.decode(from: action) else { return nil }
    return caseName(of: viewAction)
  }

  override final var secret: SecretFinder.Finding { SecretFinder.secret(in: R.ViewAction.self) }

  override final func receive(_ report: any Sendable, in tree: Tree) {
    guard let report = report as? Send<R>.Report else {
      preconditionFailure("a report of another riblet was sent to \(typeName)")
    }
    switch report {
    case .action(let action): receive(action, in: tree)
    case .output(let output): tree.enqueue(for: self) { [link] tree in link.tell(output, tree) }
    }
  }

  override final var hasProps: Bool { told != nil }

  override final func updateProps(again: Bool = false, in tree: Tree) -> Bool {
    reduceProps(again: again, in: tree)
  }

  override final func noteReplacement() {
    guard let told, !told.areDue, !told.wereToldAgain, cell.isReplaced else { return }
    told.areDue = true
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
    compareOwners(in: tree)
    // An embedded state may be gone already; then the riblet is not called.
    let change = cell.modify(isCompared: keepsEarlierState) { riblet.willResignActive(&$0) }
    tree.witness?(Reduction(node: id, typeName: typeName, cause: .resignation))
    unsettleOwners(after: change, in: tree)
    noteChange(in: tree)
  }

  // MARK: Effects

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

  override final func noteChange(in tree: Tree) { noteChangeOfParts(in: tree) }
  override final func compareParts(in tree: Tree) { compareNotedParts(in: tree) }

  override final func noteDuplicates() {
    guard let state = cell.state else { return }
    for route in routes where route.areEmbedded { route.noteDuplicates(in: state) }
  }

  override final func reconcile(in tree: Tree) {
    compareOwners(in: tree)
    if isUncompared { compareParts(in: tree) }
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
    told?.commit()
    saved = nil
    hasOtherChildren = false
    isUncompared = false
    for route in anyRoutes { route.commit() }
  }

  override func rollBack() {
    super.rollBack()
    cell.rollBack()
    if let saved { (effects, plan) = saved }
    told?.rollBack()
    saved = nil
    hasOtherChildren = false
    isUncompared = false
    for route in anyRoutes { route.rollBack() }
  }
}
