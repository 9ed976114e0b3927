import Logging
import RibCore
import Wire
import WireHash

extension SessionCore {
  /// Tells the clients what the last transaction has changed.
  ///
  /// - Parameter asking: the client whose action it was, which is answered in any case; nil for none.
  func publish(replyingTo asking: Int? = nil) {
    if isWalking { driver?.carryOut(.resumeWalk) }
    let base = revision
    if work.viewRenderer.patch.count > 0 {
      revision += 1
      count(.patchBytes, times: work.viewRenderer.patch.json.bytes.count)
      stats.notePatch(bytes: work.viewRenderer.patch.json.bytes.count, at: work.now)
      history.append(work.viewRenderer.patch.json.bytes, revision: revision, at: work.now, viewSize: tree.viewSize)
      for place in audience.places { sendPatch(to: audience.id(at: place), base: base) }
    } else if let asking {
      sendPatch(to: asking, base: base)
    }
  }

  /// Sends the last transaction's patch, or an empty one.
  ///
  /// - Parameters:
  ///   - client: to whom.
  ///   - base: the revision before it; the present one for an empty patch.
  func sendPatch(to client: Int, base: Int) {
    guard let channel = audience[client].channel else { return }
    guard !channel.owesSnapshot, !channel.isCongested else { return channel.oweSnapshot() }
    work.json.removeAll()
    let operations = base == revision ? [] : work.viewRenderer.patch.json.bytes
    work.json.patch(
      revision: revision, base: base, number: audience[client].ledger.number, operations: operations.span)
    send(to: channel, viewRevision: revision)
  }

  /// Shows a client the whole view.
  ///
  /// - Parameters:
  ///   - client: to whom.
  ///   - reason: what the snapshot counts towards.
  func sendSnapshot(to client: Int, _ reason: LoopStats.Count) {
    guard let channel = audience[client].channel else { return }
    work.stats.note(reason)
    stats.noteSnapshot()
    confirmIfSuspended()
    work.json.removeAll()
    work.json.beginSnap(epoch: epoch, revision: revision, number: audience[client].ledger.number)
    do throws(CaptureError) {
      try charging(client) { () throws(CaptureError) in
        try writeView()
        work.json.endObject()
        channel.budget.noteAnswer(bytes: work.json.count)
        send(to: channel, viewRevision: revision)
      }
    } catch {
      viewIsLost(client, error)
    }
  }

  /// Has what is shown now wait until a commit has shown that the session is this process's, if others may have taken it.
  func confirmIfSuspended() { if driver?.isSuspended == true { noteCommit() } }

  /// Tells a client the hash of the view, so that it can see whether its own is the same; behind a snapshot that it is owed.
  ///
  /// - Parameter client: to whom.
  func sendHash(to client: Int) {
    guard let channel = audience[client].channel else { return }
    guard !channel.owesSnapshot else { return channel.oweHash() }
    confirmIfSuspended()
    work.json.removeAll()
    do {
      let hash = try charging(client) { () throws in
        try writeView()
        return JSONValue(try StateCoder.read(String(decoding: work.json.bytes, as: UTF8.self))).canonicalHash
      }
      work.json.removeAll()
      work.json.patch(
        revision: revision, base: revision, number: audience[client].ledger.number, operations: [UInt8]().span,
        hash: hash)
      send(to: channel)
    } catch {
      viewIsLost(client, error)
    }
  }

  /// A view state fails to be encoded that was encoded before: no client can be shown anything any more.
  private func viewIsLost(_ client: Int, _ error: any Error) {
    log(.error, "A view cannot be encoded any more.", ["reason": "\(error)"])
    dismiss(client, .failed, "The view cannot be encoded: \(error)")
    end(because: .failed)
  }

  /// Shows the client of a channel the newest view, if patches were left out while it did not read.
  ///
  /// - Parameters:
  ///   - channel: the client's.
  ///   - client: the client.
  func payDebt(to channel: Channel, of client: Int) {
    let debt = channel.settleDebt()
    if debt != .nothing { sendSnapshot(to: client, .overdueSnapshots) }
    if debt == .snapshotAndHash { sendHash(to: client) }
    if channel.owesClients { tellClients() }
  }

  /// Puts the message in the workspace on its way, or behind the commit that holds what it tells of.
  ///
  /// - Parameters:
  ///   - channel: to whom.
  ///   - viewRevision: of the view that the client has after it; nil if it is about something else.
  ///   - isPlain: whether the message is not compressed, as it has a secret.
  func send(to channel: Channel, viewRevision: Int? = nil, isPlain: Bool = false) {
    if commits.isPending { channel.output.hold() }
    channel.send(id: viewRevision.map { "\(epoch).\($0)" }, isPlain: isPlain)
  }

  /// Adds the view to what is written in the workspace.
  ///
  /// That is taken out of the workspace meanwhile, as the app's `encode(to:)` runs.
  func writeView() throws(CaptureError) {
    var json = JSONWriter()
    swap(&json, &work.json)
    defer { swap(&json, &work.json) }
    try tree.writeView(into: &json, rendering: work.viewRenderer)
  }

  /// The hash by which a session that wakes knows whether its view is the one with which it left memory.
  func viewHash() throws(CaptureError) -> String {
    work.json.removeAll()
    try writeView()
    return SessionToken.hash(work.json.bytes)
  }
}
