import RibCore
import Wire

@testable import RibServer

/// `Session+Life.swift`.
extension ModelSession {
  func clientSaidBye(_ index: Int) {
    renderers[index].ledger.retire()
    let isLast = renderers.allSatisfy(\.ledger.isRetired)
    noteChange()
    if isLast { departure = .ending }
    if let connection = renderers[index].connection {
      if commits.isPending { connection.output.hold() }
      connection.say(.ended, "Goodbye.")
    }
    if isLast { end() }
  }

  func end() {
    guard isInMemory else { return }
    departure = .ending
    let isUnderWay = commits.isUnderWay
    for renderer in renderers {
      guard let connection = renderer.connection else { continue }
      connection.say(.gone, "The session has ended.")
      connection.flush()
    }
    if lease != nil || !isUnderWay { removeFromStore() }
    leaveMemory()
  }

  func removeFromStore() {
    guard let lease else { return releaseLeft() }
    server.submit(ModelServer.Job(request: .remove(sessionID: id, lease)) { [self] _ in releaseLeft() })
  }

  private func releaseLeft() {
    let waiting = uncommitted
    uncommitted = ModelUncommitted()
    for connection in waiting.left { connection.release(all: true) }
  }

  func leaveMemory() {
    guard isInMemory else { return }
    isInMemory = false
    if departure == .resting { departure = nil }
    server.remove(self)
    for index in renderers.indices { renderers[index].connection = nil }
    _ = tree.stop()
    effects = []
  }

  private var canRest: Bool {
    commits.isClean && departure == nil && !tree.hasVolatileEffects
      && renderers.allSatisfy { $0.connection?.isIdle ?? true }
  }

  func rest() {
    guard isInMemory, canRest, commits.note() else { return }
    departure = .resting
    server.willCommit(self)
  }

  func leaveIfAsked() {
    switch departure {
    case .ending?: removeFromStore()
    case .stopping?: leaveMemory()
    case .resting?:
      departure = nil
      guard !commits.isFailing, canRest, let lease else { return noteChange() }
      for index in renderers.indices {
        renderers[index].connection?.fallAsleep(
          Sleeper(
            sessionID: id, renderer: index, attempt: renderers[index].ledger.record.attempt, epoch: epoch,
            revision: revision, lease: lease))
      }
      leaveMemory()
    case nil: break
    }
  }

  func restore(_ stored: StoredSession) throws {
    let (commands, _) = try tree.restore(stored.tree, rendering: server.renderer)
    isInMemory = true
    if let rest = stored.state.rest, !server.rules.contains(.wakeHash) || viewHash() == rest.viewHash {
      epoch = rest.epoch
    }
    noteChange()
    carryOut(commands)
  }
}
