import RibCore
import Wire

@testable import RibServer

/// Runs a session in the model: what ``Session`` does with a loop, step by step.
///
/// `@unchecked Sendable`: a world is run by one thread.
final class ModelHost: SessionDriver, @unchecked Sendable {
  let server: ModelServer
  let core: SessionCore
  /// The effects that run, in the order in which they began.
  private var effects: [EffectStart] = []

  /// Takes a session over that has neither been started nor restored.
  init(_ core: SessionCore, on server: ModelServer) {
    self.core = core
    self.server = server
    core.driver = self
  }

  var isStoreFailing: Bool { server.isStoreFailing }
  func reserveRest() -> Bool { true }

  func carryOut(_ command: SessionCommand) {
    switch command {
    case .enterMemory(let isNew): server.add(self, isNew: isNew)
    case .leaveMemory:
      server.remove(self)
      effects = []
    case .commit: server.willCommit(self)
    case .remove(let lease):
      server.submit(ModelServer.Job(request: .remove(sessionID: core.id, lease)) { [core] in core.didRemove($0) })
    case .forget(let lease):
      server.submit(ModelServer.Job(request: .remove(sessionID: core.id, lease)) { _ in })
    case .start(let effect, _):
      effects.append(effect)
      if let name = effect.id.flatMap({ Int($0.description) }) { server.onEffect(name) }
    case .cancel(let token): effects.removeAll { $0.token == token }
    case .cancelAll: effects = []
    case .publish(let publish): publish()
    case .noteAbsence(let lease): server.noteAbsence(ofSession: core.id, lease)
    // There is no time, and no walk.
    case .callOffRest, .look, .walk, .resumeWalk, .listen: break
    }
  }

  /// The effect that has run longest ends.
  func endEffect() {
    if !effects.isEmpty { core.effectEnded(effects.removeFirst(), nil) }
  }
}
