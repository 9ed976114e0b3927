import Logging
import RibCore
import Wire

extension Session {
  /// Tells the clients what the last transaction has changed.
  ///
  /// - Parameter index: the renderer whose action it was, which is answered in any case; nil for none.
  func publish(replyingTo index: Int? = nil) {
    resumeWalks()
    let base = revision
    if loop.renderer.patch.count > 0 {
      revision += 1
      history.append(loop.renderer.patch.json.bytes, revision: revision, at: loop.now)
      for other in renderers.indices { sendPatch(to: other, base: base) }
      flushOthers(than: index)
    } else if let index {
      sendPatch(to: index, base: base)
    }
  }

  /// Sends what those have been told who have not said anything: nothing else does, unless it waits for a commit.
  private func flushOthers(than index: Int?) {
    guard renderers.count > 1, !commits.isPending else { return }
    for other in renderers.indices where other != index { renderers[other].connection?.flush() }
  }

  /// Sends the last transaction's patch, or an empty one.
  ///
  /// - Parameters:
  ///   - index: to which renderer.
  ///   - base: the revision before it; the present one for an empty patch.
  func sendPatch(to index: Int, base: Int) {
    guard let connection = renderers[index].connection else { return }
    guard !connection.owesSnapshot, !connection.isCongested else {
      connection.owesSnapshot = true
      return
    }
    loop.json.removeAll()
    let operations = base == revision ? [] : loop.renderer.patch.json.bytes
    loop.json.patch(
      revision: revision, base: base, number: renderers[index].ledger.number, operations: operations.span)
    send(to: connection, viewRevision: revision)
  }

  /// Shows a client all there is.
  func sendSnapshot(to index: Int) {
    guard let connection = renderers[index].connection else { return }
    connection.owesSnapshot = false
    loop.json.removeAll()
    loop.json.beginSnap(epoch: epoch, revision: revision, number: renderers[index].ledger.number)
    do throws(RecordingError) {
      try tree.writeView(into: &loop.json, rendering: loop.renderer)
    } catch {
      log(.error, "A view cannot be encoded any more.", ["reason": "\(error)"])
      connection.say(.failed, "The view cannot be encoded: \(error)")
      return end()
    }
    loop.json.endObject()
    send(to: connection, viewRevision: revision)
  }

  /// Tells a client the hash of the view, so that it can see whether its own is the same.
  ///
  /// - Parameter index: which.
  /// - Returns: the size of the view, in bytes.
  func sendHash(to index: Int) -> Int {
    guard let connection = renderers[index].connection else { return 0 }
    guard !connection.owesSnapshot else {
      connection.owesHash = true
      return 0
    }
    loop.json.removeAll()
    do {
      try tree.writeView(into: &loop.json, rendering: loop.renderer)
      let size = loop.json.count
      let hash = JSONValue(try StateCoder.read(String(decoding: loop.json.bytes, as: UTF8.self))).canonicalHash
      loop.json.removeAll()
      loop.json.patch(
        revision: revision, base: revision, number: renderers[index].ledger.number, operations: [UInt8]().span,
        hash: hash)
      send(to: connection)
      return size
    } catch {
      log(.error, "A view cannot be encoded any more.", ["reason": "\(error)"])
      connection.say(.failed, "The view cannot be encoded: \(error)")
      end()
      return 0
    }
  }

  /// Puts the message in the loop's writer on its way, or behind the commit that holds what it tells of.
  ///
  /// - Parameters:
  ///   - connection: to whom.
  ///   - viewRevision: of the view that the client has after it; nil if it is about something else.
  func send(to connection: Connection, viewRevision: Int? = nil) {
    if commits.isPending { connection.output.hold() }
    connection.sendMessage(id: viewRevision.map { "\(epoch).\($0)" })
  }
}
