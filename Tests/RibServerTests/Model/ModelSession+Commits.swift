import RibCore
import Wire

@testable import RibServer

/// `Session+Commits.swift`, and of `Session+Effects.swift` what has to do with commits.
extension ModelSession {
  func noteChange() {
    if departure == .resting { departure = nil }
    guard commits.note() else { return }
    if server.isStoreFailing { return storeFailed() }
    server.willCommit(self)
  }

  func carryOut(_ commands: [EffectCommand]) {
    guard !commands.isEmpty else { return }
    if commits.isPending, server.rules.contains(.effectsAfterCommit) {
      uncommitted.commands += commands
    } else {
      carryOutNow(commands)
    }
  }

  func carryOutNow(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let start):
        guard isInMemory else { continue }
        effects.append(start.token)
        if let name = start.id.flatMap({ Int($0.description) }) { server.onEffect(name) }
      case .cancel(let token): effects.removeAll { $0 == token }
      case .publish(let publish): publish()
      }
    }
  }

  /// The effect that has run longest ends.
  func endEffect() throws {
    guard isInMemory, !effects.isEmpty else { return }
    let token = effects.removeFirst()
    noteChange()
    let commands = try tree.effectEnded(token, rendering: server.renderer)
    publish()
    carryOut(commands)
    for renderer in renderers { renderer.connection?.flush() }
  }

  func takeCut() throws -> ModelServer.Job? {
    guard isInMemory, commits.begin() else { return nil }
    let cut = try makeCut()
    uncommitted.cutCommands += uncommitted.commands
    uncommitted.commands = []
    for renderer in renderers { renderer.connection?.noteCut() }
    for connection in uncommitted.left { connection.noteCut() }
    let request: StoreRequest = if let lease { .write(lease, cut) } else { .create(identity, cut) }
    return ModelServer.Job(request: request) { [self] in didCommit($0) }
  }

  private func makeCut() throws -> SessionCut {
    var acknowledged: [Int: Int] = [:]
    for index in renderers.indices {
      acknowledged[index + 1] = renderers[index].acknowledged
      renderers[index].acknowledged = nil
    }
    var rest: SessionState.Rest?
    if departure == .resting || departure == .stopping { rest = SessionState.Rest(epoch: epoch, viewHash: viewHash()) }
    version += 1
    var cut = SessionCut(
      version: version,
      state: SessionState(
        revision: revision, clients: renderers.map(\.ledger.record), invitations: invitations, hasActed: hasActed,
        isHeld: departure == nil || renderers.contains { $0.connection != nil }, rest: rest),
      tree: try tree.takeCut(), nacks: uncommitted.nacks, acknowledged: acknowledged, survived: [])
    uncommitted.nacks = []
    if server.rules.contains(.nothingLeftOut), var earlier = uncommitted.cut {
      earlier.append(cut)
      cut = earlier
    }
    uncommitted.cut = cut
    return cut
  }

  private func didCommit(_ result: Result<StoreResult, StoreError>) {
    switch result {
    case .success(.written(let lease)):
      self.lease = lease
      didWrite()
    case .failure: storeFailed()
    case .success: lost()
    }
  }

  private func didWrite() {
    guard departure != .ending else { return removeFromStore() }
    let wasFailing = commits.isFailing
    let isBehind = commits.didSucceed()
    var commands = uncommitted.cutCommands
    uncommitted.cut = nil
    uncommitted.cutCommands = []
    if !isBehind {
      commands += uncommitted.commands
      uncommitted.commands = []
    }
    if isBehind { server.willCommit(self) }
    if wasFailing { sendNotice() }
    release(all: !isBehind)
    carryOutNow(commands)
    if !isBehind { leaveIfAsked() }
  }

  private func release(all: Bool) {
    for renderer in renderers { renderer.connection?.release(all: all) }
    let left = uncommitted.left
    uncommitted.left = []
    for connection in left {
      connection.release(all: all)
      if connection.output.isHolding { uncommitted.left.append(connection) }
    }
  }

  func storeFailed() {
    let isNew = !commits.isFailing
    commits.didFail()
    guard isNew else { return leaveIfAsked() }
    server.json.removeAll()
    server.json.notice(.none)
    for renderer in renderers where renderer.connection?.greeting == nil { renderer.connection?.insertMessage() }
    for connection in uncommitted.left where connection.greeting == nil { connection.insertMessage() }
    for index in renderers.indices { greetAgain(index) }
    let commands = uncommitted.cutCommands + uncommitted.commands
    uncommitted.cutCommands = []
    uncommitted.commands = []
    release(all: true)
    carryOutNow(commands)
    leaveIfAsked()
  }

  private func greetAgain(_ index: Int) {
    guard let connection = renderers[index].connection, let greeting = connection.greeting else { return }
    connection.discardHeld()
    sendWelcome(to: index, greeting.token, isResumed: greeting.isResumed)
    sendSnapshot(to: index)
  }

  func storeIsBack() {
    if commits.storeIsBack() { server.willCommit(self) }
  }

  private func sendNotice() {
    server.json.removeAll()
    server.json.notice(.disk)
    for renderer in renderers {
      if let connection = renderer.connection { send(to: connection) }
    }
  }

  private func lost() {
    let connections = renderers.compactMap(\.connection) + uncommitted.left
    for connection in connections {
      connection.discardHeld()
      connection.owesSnapshot = false
    }
    for renderer in renderers {
      guard let connection = renderer.connection else { continue }
      connection.say(.moved, "The session goes on elsewhere: connect again.")
      connection.flush()
    }
    uncommitted = ModelUncommitted()
    leaveMemory()
  }
}
