import RibCore
import Wire
import WireHTTP

/// A transaction of a session, for somebody who looks.
struct SeenTransaction {
  /// The name of a step back.
  static let backName = "←"
  /// The name of what an effect has sent.
  static let reportName = "…"

  /// The action.
  let name: String
  /// The client that has asked for it; 0 for none.
  var client = 0
  /// The action's number.
  var number = 0
  /// Why it was refused; nil if it was applied.
  var refusal: Nack.Code?
}

// A session as an operator sees it.

extension SessionCore {
  /// The memory of a node besides its state and its view, in bytes: measured on small riblets.
  private static let nodeSize = 400
  /// How many nodes of a tree are shown.
  private static let nodeLimit = 500
  /// How many refusals are shown.
  private static let refusalLimit = 50
  /// How many bytes of the view and of the states are shown.
  private static let textLimit = 200_000

  /// The name of an action for those who look: that of its case, and never what a user has typed.
  ///
  /// - Parameters:
  ///   - action: the action, before it runs; nil for a step back.
  ///   - address: the riblet's.
  /// - Returns: an empty text if nobody looks; "?" for an action that is no case of the riblet's.
  func seenName(of action: JSONElement?, to address: NodeAddress) -> String {
    guard work.book != nil || watch != nil else { return "" }
    guard let action else { return SeenTransaction.backName }
    return tree.actionName(of: action, for: address) ?? "?"
  }

  /// Notes a transaction for those who look.
  func show(_ seen: SeenTransaction, _ nanoseconds: UInt64) {
    let riblet = tree.lastTypeName ?? ""
    work.book?.note(.init(riblet: riblet, action: seen.name), nanoseconds, isRefused: seen.refusal != nil)
    guard let watch else { return }
    if seen.client == 0 {
      watch.note("effect", riblet, "an effect has reported", at: work.time(), duration: nanoseconds)
    } else {
      let outcome = seen.refusal.map { "refused: \($0.rawValue)" } ?? "applied"
      watch.note(
        seen.name == SeenTransaction.backName ? "back" : "action", riblet,
        "\(seen.name) of client \(seen.client), number \(seen.number), \(outcome)", at: work.time(),
        duration: nanoseconds)
    }
  }

  /// Has a watch note what happens; nil for none.
  func look(through watch: SessionWatch?) {
    guard self.watch !== watch else { return }
    self.watch = watch
    tree.observer = watch.map { watch in { [work] event in watch.note(event, at: work.time()) } }
  }

  /// The person who has begun the session; nil for nobody.
  var subject: String? { audience[1].ledger.record.person?.identity.subject }

  /// The bytes that the session has in memory, estimated.
  var memoryEstimate: Int {
    tree.viewSize + tree.stateSize + history.byteCount + queueSize + Self.nodeSize * tree.nodeCount
  }

  private var queueSize: Int {
    var size = 0
    audience.forEachChannel { size += $0.output.count }
    return size
  }

  /// The session in a list.
  func listed(_ clock: InspectionClock) -> ListedSession {
    let minute = stats.lastMinute(at: work.now)
    var row = ListedSession()
    row.id = id
    row.app = identity.app
    row.subject = subject
    row.state = life.isResting ? .resting : .awake
    row.clients = audience.connectedCount
    row.since = clock.seconds(at: stats.start)
    row.changed = clock.seconds(at: life.lastChange)
    row.revision = revision
    row.nodes = tree.nodeCount
    row.memory = memoryEstimate
    row.actionsPerMinute = minute.actions
    row.patchBytesPerMinute = minute.patchBytes
    row.busy = Int(stats.busy / 1000)
    row.longest = Int(stats.longest)
    row.slow = Int(stats.slow)
    return row
  }

  /// The session whole.
  ///
  /// - Parameters:
  ///   - clock: tells when things happened.
  ///   - showsState: whether the view and the states are shown, and all else that may have what users have typed.
  /// - Returns: what an operator sees.
  func seen(_ clock: InspectionClock, showsState: Bool) -> SessionDetail {
    var detail = SessionDetail()
    detail.row = listed(clock)
    detail.cost = cost
    detail.clients = audience.ids.map { seenClient($0) }
    detail.refusals = audience.nacks.suffix(Self.refusalLimit).map {
      SessionRefusal(
        client: $0.client, number: $0.nack.number, code: $0.nack.code.rawValue,
        message: showsState ? $0.nack.message : nil)
    }
    detail.nodes = tree.seenNodes(atMost: Self.nodeLimit).map {
      SessionNode(
        id: $0.id, parent: $0.parent, type: $0.typeName, route: $0.route, isActive: $0.isActive,
        stateVersion: $0.stateVersion,
        effects: $0.effects.map { (showsState ? $0?.description : $0?.publicName) ?? "" })
    }
    detail.crashes = effects.crashes.map {
      SessionCrash(
        client: $0.client, number: $0.number, count: $0.count, isPoisoned: $0.count >= StoredSession.Crash.limit)
    }
    detail.effects = tree.effectCount
    detail.isCommitted = commits.isClean
    detail.isRecorded = tree.recorder != nil
    detail.events = watch?.events(showsState: showsState) ?? []
    if showsState {
      detail.view = seenView
      detail.states = seenStates
    }
    return detail
  }

  private var cost: SessionCost {
    var cost = SessionCost()
    cost.actions = Int(stats.actions)
    cost.busy = Int(stats.busy / 1000)
    cost.longest = Int(stats.longest)
    cost.slow = Int(stats.slow)
    cost.patchBytes = Int(clamping: stats.patchBytes)
    cost.snapshots = Int(stats.snapshots)
    cost.commitBytes = Int(clamping: stats.commitBytes)
    cost.memory = memoryEstimate
    cost.viewBytes = tree.viewSize
    cost.stateBytes = tree.stateSize
    cost.historyBytes = history.byteCount
    cost.queueBytes = queueSize
    return cost
  }

  private func seenClient(_ id: Int) -> SessionClient {
    let (record, channel) = (audience[id].ledger.record, audience[id].channel)
    var client = SessionClient()
    client.id = id
    client.mayAct = record.scope == .act
    client.transport = channel.map { $0.isEventStream ? .events : .websocket } ?? .none
    client.isRetired = audience[id].ledger.isRetired
    client.subject = record.person?.identity.subject
    client.issuer = record.person?.identity.issuer
    client.roles = record.person?.identity.roles.sorted() ?? []
    client.expires = record.person?.identity.secondExpires.map { Int($0) }
    client.address = (channel?.port as? Connection)?.caller.address?.description
    client.program = [record.profile?.info.name, record.profile?.info.version].compactMap(\.self).joined(separator: " ")
    client.number = record.number
    client.queueBytes = channel?.output.count ?? 0
    client.isCongested = channel?.readsTooLittle ?? false
    return client
  }

  private var seenView: String {
    work.json.removeAll()
    defer { work.json.removeAll() }
    do {
      try writeView()
    } catch {
      return "The view cannot be encoded: \(error)"
    }
    return Self.brief(String(decoding: work.json.bytes, as: UTF8.self))
  }

  private var seenStates: String {
    do {
      let nodes = try tree.snapshot().nodes.sorted { $0.key < $1.key }
      return Self.brief("{" + nodes.map { "\"\($0)\":\($1.state ?? "null")" }.joined(separator: ",") + "}")
    } catch {
      return "The states cannot be encoded: \(error)"
    }
  }

  private static func brief(_ text: String) -> String {
    text.brief(within: textLimit)
  }
}

// The operations of an operator on a session.

extension SessionCore {
  /// Asks a client to connect again.
  ///
  /// - Returns: whether the client was connected.
  func askToReconnect(_ client: Int) -> Bool {
    guard life.isInMemory, audience.has(client), audience[client].channel != nil else { return false }
    dismiss(client, .moved, "The operator asks the client to connect again.")
    tellClients()
    noteAbsence()
    return true
  }

  /// Has a client not come back that nobody has signed in to; the session ends if no other client may act in it.
  ///
  /// - Returns: false if there is no such client.
  func expel(_ client: Int) -> Bool {
    guard life.isInMemory, audience.has(client) else { return false }
    audience.retire(client)
    noteCommit()
    dismiss(client, .revoked, "The operator has put the client out.")
    guard !audience.isRetired else {
      end(.ended, because: .dismissed)
      return true
    }
    tellClients()
    noteAbsence()
    return true
  }

  /// Runs again what was set aside.
  ///
  /// - Returns: how much that is.
  func liftPoison() -> Int {
    let count = effects.lift()
    if count > 0 { noteCommit() }
    return count
  }
}
