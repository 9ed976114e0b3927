/// How a node carries out the effects that its reducers return.
extension Node {
  func interpret(_ effect: Effect<R>, in tree: Tree, sequence: Int? = nil) {
    switch effect.operation {
    case .none: break
    case .send(let action):
      tree.enqueue(for: self) { [unowned self] tree in receive(action, in: tree) }
    case .output(let output): tree.enqueue(for: self) { [link] tree in link.tell(output, tree) }
    case .publish(let announcement): tree.publish(announcement)
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
    let running = tree.startEffect(of: self, run.id, run.key, execution.rest, sequence: sequence) {
      running, tally, port in
      try await work(Send(token: running.token, idempotencyKey: running.key, tally: tally, port: port))
    }
    effects.append(running)
    if let sequence { plan.didStart(in: sequence) }
  }

  /// Starts the steps of a sequence one after the other, until one has to be waited for.
  func goOn(with sequence: Int, in tree: Tree) {
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
}
