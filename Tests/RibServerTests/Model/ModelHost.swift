import Synchronization
import Wire

@testable import RibCore
@testable import RibServer

/// Runs a session in the model: what ``Session`` does with a loop, step by step.
///
/// `@unchecked Sendable`: a world is run by one thread.
final class ModelHost: SessionDriver, @unchecked Sendable {
  let server: ModelServer
  let core: SessionCore
  /// The effects that an action has begun, in that order.
  private var effects: [EffectStart] = []
  /// Those that observe: they run, when the server has its effects go on.
  private var observers: [EffectToken: Task<Void, Never>] = [:]

  /// Takes a session over that has neither been started nor restored.
  init(_ core: SessionCore, on server: ModelServer) {
    self.core = core
    self.server = server
    core.driver = self
  }

  var isStoreFailing: Bool { server.isStoreFailing }
  var isStoreShared: Bool { false }
  func reserveRest() -> Bool { true }

  func carryOut(_ command: SessionCommand) {
    switch command {
    case .enterMemory(let isNew): server.add(self, isNew: isNew)
    case .leaveMemory:
      server.interrupt()
      server.remove(self)
      cancelAll()
      server.interrupt()
    case .commit: server.willCommit(self)
    case .remove(let lease):
      server.submit(ModelServer.Job(request: .remove(sessionID: core.id, lease)) { [core] in core.didRemove($0) })
    case .forget(let lease):
      server.submit(ModelServer.Job(request: .remove(sessionID: core.id, lease)) { _ in })
    case .start(let effect, let number):
      guard let name = effect.id.flatMap({ Int($0.description) }) else { return observe(effect, number) }
      effects.append(effect)
      server.onEffect(name)
    case .cancel(let token):
      effects.removeAll { $0.token == token }
      observers.removeValue(forKey: token)?.cancel()
    case .cancelAll: cancelAll()
    case .listen(let bells): listen(to: bells)
    case .publish(let publish): publish()
    case .noteAbsence(let lease): server.noteAbsence(ofSession: core.id, lease)
    // There is no time, and no walk.
    case .callOffRest, .look, .walk, .resumeWalk: break
    }
  }

  /// Its process ends.
  func die() {
    core.driver = nil
    cancelAll()
  }

  private func cancelAll() {
    effects = []
    for task in observers.values { task.cancel() }
    observers = [:]
  }

  // MARK: Observing

  private func observe(_ effect: EffectStart, _ number: Int) {
    observers[effect.token] = Task.detached(executorPreference: server.executor) { [weak self] in
      try? await effect.run { [weak self] report in self?.receive(report, number) }
      self?.ended(effect)
    }
  }

  private func receive(_ report: EffectReport, _ number: Int) {
    if core.driver != nil { core.receive(report, from: number) }
  }

  private func ended(_ effect: EffectStart) {
    observers[effect.token] = nil
    if core.driver != nil { core.effectEnded(effect, nil) }
  }

  private func listen(to bells: [Bell]) {
    server.interrupt()
    let bells = server.rules.contains(.pastRings) ? bells : bells.map { $0.withoutPast() }
    server.registry.listen(to: bells, for: core.id)
    server.interrupt()
  }

  /// The effect that has run longest ends.
  func endEffect() {
    if !effects.isEmpty { core.effectEnded(effects.removeFirst(), nil) }
  }
}

extension Bell {
  /// A bell that does not ring for what was published before it is armed.
  fileprivate func withoutPast() -> Bell {
    Bell(of: ModelNews(0, .topic)) { ring in
      let isArmed = Armed()
      let token = arm { if isArmed.value.load(ordering: .relaxed) { ring() } }
      isArmed.value.store(true, ordering: .relaxed)
      return { token.cancel() }
    }
  }

  private final class Armed: Sendable {
    let value = Atomic(false)
  }
}
