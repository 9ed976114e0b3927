import RibCore
import Wire

@testable import RibServer

/// `Session+Clients.swift`.
extension ModelSession {
  func start(_ connection: ModelConnection, token: String) throws {
    let commands = try tree.start(rendering: server.renderer)
    isInMemory = true
    server.add(self)
    noteChange()
    carryOut(commands)
    attach(connection, to: 0)
    sendWelcome(to: 0, token, isResumed: false)
    sendSnapshot(to: 0)
  }

  func resume(_ connection: ModelConnection, _ resume: ClientMessage.Resume) -> Session.Admission {
    guard isInMemory, departure != .ending else { return .left }
    let index = resume.clientID - 1
    guard renderers.indices.contains(index) else { return .refused(.denied, "no such client") }
    var resume = resume
    if !server.rules.contains(.tryChecked) {
      resume.attempt = max(resume.attempt, renderers[index].ledger.record.attempt + 1)
    }
    if let bye = renderers[index].ledger.admit(resume) { return .refused(bye, "not let in") }
    goOn(connection, with: index, resume.token, epoch: resume.epoch, revision: resume.revision)
    return .admitted
  }

  private func goOn(
    _ connection: ModelConnection, with index: Int, _ token: String, epoch: String, revision known: Int
  ) {
    if let overtaken = renderers[index].connection {
      detach(overtaken, from: index)
      overtaken.say(.taken, "The client has connected again.")
      overtaken.flush()
    }
    noteChange()
    attach(connection, to: index)
    sendWelcome(to: index, token, isResumed: true)
    catchUp(connection, index, from: epoch, known)
  }

  private func catchUp(_ connection: ModelConnection, _ index: Int, from epoch: String, _ known: Int) {
    let hasAll =
      epoch == self.epoch
      && history.replay(after: known, to: revision, at: 0) { revision, operations in
        server.json.removeAll()
        server.json.patch(
          revision: revision, base: revision - 1, number: renderers[index].ledger.number, operations: operations)
        send(to: connection)
      }
    if !hasAll { sendSnapshot(to: index) }
  }

  func share(_ scope: ShareScope, from index: Int) -> (Bye, String)? {
    guard let connection = renderers[index].connection else { return nil }
    if scope == .act, renderers[index].ledger.record.scope == .view { return (.denied, "only to look") }
    let token = "\(id).\(SessionToken.make())"
    if invitations.count == Invitation.limit { invitations.removeFirst() }
    invitations.append(Invitation(tokenHash: SessionToken.hash(token), scope: scope, expires: .max))
    noteChange()
    server.json.removeAll()
    server.json.share(token: token, expires: Invitation.lifetime * 1000)
    send(to: connection)
    return nil
  }

  func join(_ connection: ModelConnection, with invitation: String) -> Session.Admission {
    guard isInMemory, departure != .ending else { return .left }
    guard let place = invitations.firstIndex(where: { SessionToken.matches(invitation, $0.tokenHash) }) else {
      return .refused(.denied, "Nobody was invited with this token.")
    }
    let token = SessionToken.make()
    let index = renderers.count
    renderers.append(
      ModelRenderer(ledger: ClientLedger(id: index + 1, token: token, scope: invitations[place].scope)))
    invitations.remove(at: place)
    noteChange()
    attach(connection, to: index)
    sendWelcome(to: index, token, isResumed: false)
    sendSnapshot(to: index)
    return .admitted
  }

  func wake(_ connection: ModelConnection, _ sleeper: Sleeper) -> Session.Admission {
    guard isInMemory, departure != .ending else { return .left }
    guard renderers.indices.contains(sleeper.renderer), renderers[sleeper.renderer].connection == nil,
      renderers[sleeper.renderer].ledger.record.attempt == sleeper.attempt
    else { return .refused(.taken, "The client has connected again.") }
    noteChange()
    attach(connection, to: sleeper.renderer)
    if commits.isFailing {
      server.json.removeAll()
      server.json.notice(.none)
      send(to: connection)
    }
    catchUp(connection, sleeper.renderer, from: sleeper.epoch, sleeper.revision)
    return .admitted
  }

  func attach(_ connection: ModelConnection, to index: Int) {
    connection.renderer = index
    renderers[index].connection = connection
    departure = nil
  }

  private func detach(_ connection: ModelConnection, from index: Int) {
    renderers[index].connection = nil
    if connection.output.isHolding { uncommitted.left.append(connection) }
  }

  func sendWelcome(to index: Int, _ token: String, isResumed: Bool) {
    guard let connection = renderers[index].connection else { return }
    let ledger = renderers[index].ledger
    let welcome = Welcome(
      sessionID: id, clientID: ledger.id, token: token, epoch: epoch, revision: revision, number: ledger.number,
      nacks: server.rules.contains(.nackKept) ? ledger.nacks : [], resumed: isResumed,
      durability: commits.isFailing ? .none : .disk, build: "model", timeToLive: 0, heartbeat: 1,
      limits: Welcome.Limits())
    server.json.removeAll()
    server.json.welcome(welcome)
    send(to: connection)
    if connection.output.isHolding {
      connection.greeting = Greeting(token: token, isResumed: isResumed, end: connection.output.writtenCount)
    }
  }

  func acknowledge(_ acknowledgement: Acknowledgement, from index: Int) -> String? {
    guard acknowledgement.number <= renderers[index].ledger.number, acknowledgement.revision <= revision else {
      return "An \"ack\" for revision \(acknowledgement.revision) and action \(acknowledgement.number)."
    }
    if renderers[index].ledger.acknowledge(acknowledgement.number) {
      renderers[index].acknowledged = acknowledgement.number
    }
    if renderers.count == 1 { history.acknowledge(acknowledgement.revision) }
    return nil
  }

  func connectionEnded(_ connection: ModelConnection, _ comesBack: Bye.Return) {
    let index = connection.renderer
    guard renderers.indices.contains(index), renderers[index].connection === connection else { return }
    detach(connection, from: index)
    guard isInMemory, renderers.allSatisfy({ $0.connection == nil }) else { return }
    if comesBack == .not, !hasActed, renderers.count == 1 { return end() }
    noteChange()
  }
}
