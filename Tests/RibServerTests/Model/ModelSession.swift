import RibCore
import Wire

@testable import RibServer

/// A client of a session: `Renderer`.
struct ModelRenderer {
  var ledger: ClientLedger
  var connection: ModelConnection?
  var acknowledged: Int?
}

/// What of a session happened since the last cut, and waits: `Uncommitted`.
struct ModelUncommitted {
  var nacks: [SessionCut.Refusal] = []
  var commands: [EffectCommand] = []
  var left: [ModelConnection] = []
  var cut: SessionCut?
  var cutCommands: [EffectCommand] = []
}

/// The server's session without its loop: the tree, the ledgers, the history of patches and the states of commits are the
/// real ones; what stands between them is `Session`'s, method for method, for an actor cannot be run one step at a time.
///
/// So a rule that is broken in one of the parts is found here, and one that is broken in `Session`'s own methods only if
/// it is copied. Who changes those changes these.
final class ModelSession {
  let server: ModelServer
  let identity: SessionIdentity
  let tree: Tree
  var isInMemory = false
  var epoch = SessionToken.randomHex(words: 1)
  var revision = 1
  var renderers: [ModelRenderer]
  var invitations: [Invitation] = []
  var hasActed = false
  var history = PatchHistory()
  var commits = Commits()
  var uncommitted = ModelUncommitted()
  var lease: SessionLease?
  var version: Int64 = 0
  var departure: Session.Departure?
  var effects: [EffectToken] = []

  var id: String { identity.id }

  /// A session whose tree is not started.
  init(token: String, on server: ModelServer) {
    self.server = server
    identity = SessionIdentity(id: SessionToken.randomHex(words: 2), app: "model", parameters: nil)
    renderers = [ModelRenderer(ledger: ClientLedger(id: 1, token: token))]
    tree = Tree(root: ModelRoot(), session: identity.id)
    tree.notesChanges = true
  }

  /// A session whose tree is not restored.
  init(_ stored: StoredSession, on server: ModelServer) {
    self.server = server
    identity = stored.identity
    renderers = stored.state.clients.map { record in
      ModelRenderer(ledger: ClientLedger(record, nacks: stored.nacks.filter { $0.client == record.id }.map(\.nack)))
    }
    invitations = stored.state.invitations
    hasActed = stored.state.hasActed
    revision = stored.state.revision
    if !server.rules.contains(.wakeRevision), stored.state.rest != nil { revision = max(1, revision - 1) }
    lease = stored.lease
    tree = Tree(root: ModelRoot(), session: identity.id)
    tree.notesChanges = true
  }

  /// Lets go of its connections: the server is no more.
  func forget() {
    isInMemory = false
    for renderer in renderers { renderer.connection?.forget() }
    renderers = []
    uncommitted = ModelUncommitted()
  }

  // MARK: Actions

  func act(_ act: ClientMessage.Act, from connection: ModelConnection) -> String? {
    let index = connection.renderer
    switch renderers[index].ledger.take(act.number) {
    case .next: break
    case .done where !server.rules.contains(.onceOnly): break
    case .done:
      sendPatch(to: index, base: revision)
      return nil
    case .gap: return "Action \(act.number) came after \(renderers[index].ledger.number): numbers go up by one."
    }
    noteChange()
    do throws(Refusal) {
      if renderers[index].ledger.record.scope == .view { throw Refusal(.forbidden, "only to look") }
      let commands = try tree.perform(act.action, for: act.to, rendering: server.renderer)
      hasActed = true
      publish(replyingTo: index)
      carryOut(commands)
    } catch {
      return refuse(act.number, from: index, on: connection, error) ? nil : "too many refusals"
    }
    return nil
  }

  private func refuse(
    _ number: Int, from index: Int, on asking: ModelConnection, _ refusal: Refusal
  ) -> Bool {
    let nack = Nack(number: number, code: refusal.code, message: ClientLedger.brief(refusal.message))
    let hasRoom = renderers[index].ledger.refuse(nack)
    if server.rules.contains(.nackKept) {
      uncommitted.nacks.append(SessionCut.Refusal(client: index + 1, nack: nack))
    }
    // Without the rule who asks on an overtaken connection is answered there.
    let connection = server.rules.contains(.overtakenUnread) ? renderers[index].connection : asking
    guard let connection else { return hasRoom }
    if !server.rules.contains(.nackFirst) { sendPatch(to: index, base: revision) }
    server.json.removeAll()
    server.json.nack(nack)
    send(to: connection)
    return hasRoom
  }

  // MARK: The view

  func publish(replyingTo index: Int? = nil) {
    let base = revision
    if server.renderer.patch.count > 0 {
      revision += 1
      history.append(server.renderer.patch.json.bytes, revision: revision, at: 0)
      for other in renderers.indices { sendPatch(to: other, base: base) }
    } else if let index {
      sendPatch(to: index, base: base)
    }
  }

  func sendPatch(to index: Int, base: Int) {
    guard let connection = renderers[index].connection else { return }
    guard !connection.owesSnapshot, !connection.isCongested else {
      connection.owesSnapshot = true
      return
    }
    server.json.removeAll()
    let operations = base == revision ? [] : server.renderer.patch.json.bytes
    server.json.patch(
      revision: revision, base: base, number: renderers[index].ledger.number, operations: operations.span)
    send(to: connection)
  }

  func sendSnapshot(to index: Int) {
    guard let connection = renderers[index].connection else { return }
    connection.owesSnapshot = false
    server.json.removeAll()
    server.json.beginSnap(epoch: epoch, revision: revision, number: renderers[index].ledger.number)
    writeView()
    server.json.endObject()
    send(to: connection)
  }

  func sendHash(to index: Int) {
    guard let connection = renderers[index].connection else { return }
    guard !connection.owesSnapshot else {
      connection.owesHash = true
      return
    }
    let hash = canonicalHash
    server.json.removeAll()
    server.json.patch(
      revision: revision, base: revision, number: renderers[index].ledger.number, operations: [UInt8]().span,
      hash: hash)
    send(to: connection)
  }

  /// The hash by which a client sees whether its view is the server's.
  var canonicalHash: String {
    server.json.removeAll()
    writeView()
    guard let view = try? JSONValue(parsing: String(decoding: server.json.bytes, as: UTF8.self)) else { return "" }
    return view.canonicalHash
  }

  private func writeView() {
    do { try tree.writeView(into: &server.json, rendering: server.renderer) } catch { preconditionFailure("\(error)") }
  }

  func viewHash() -> String {
    server.json.removeAll()
    writeView()
    return SessionToken.hash(server.json.bytes)
  }

  func send(to connection: ModelConnection) {
    if commits.isPending, server.rules.contains(.commitFirst) { connection.output.hold() }
    connection.sendMessage()
  }
}
