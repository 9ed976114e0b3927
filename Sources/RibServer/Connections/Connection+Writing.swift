import Wire

extension Connection {
  /// Whether so much waits to be sent that the client gets no more patches until it has read all of it.
  var isCongested: Bool { output.count > context.settings.limits.writeQueue }

  /// Puts the message in the loop's writer on its way.
  ///
  /// - Parameter id: if it is an event, the view that the client has after it.
  func sendMessage(id: @autoclosure () -> String? = nil) {
    borrowSendStorage()
    let message = loop.json.bytes
    if isEventStream { writeEvent(id: id()) } else { writer.text(message.span, into: &output.bytes) }
    if message.capacity > EventLoop.largestKept { loop.json = JSONWriter() }
  }

  /// The loop's storage serves one connection after the other, for as long as nothing has to wait.
  func borrowSendStorage() {
    if output.isEmpty, output.bytes.capacity == 0 { swap(&output.bytes, &loop.sendStorage) }
  }

  private func returnSendStorage(_ storage: [UInt8]) {
    // A ping's few bytes are no reason to give up the room that the next patch wants.
    if storage.capacity > loop.sendStorage.capacity, storage.capacity <= EventLoop.largestKept {
      loop.sendStorage = storage
    }
  }

  /// What the messages of a peer that does not read may keep of memory: what was borrowed may be much more, and so may
  /// what has grown, once nothing is added any more.
  private var mostForWaiting: Int {
    isCongested ? output.count + output.count / 4 : 8192 + 2 * output.count
  }

  /// Sends what the socket takes and, when that is all, what waited for it.
  ///
  /// - Returns: false if the connection is gone.
  func send() -> Bool {
    while output.hasSendable {
      guard output.send(to: descriptor) else { return false }
      guard output.isEmpty else {
        if output.bytes.capacity > mostForWaiting { returnSendStorage(output.releaseSpareStorage()) }
        return true
      }
      returnSendStorage(output.releaseStorage())
      didDrain()
    }
    return true
  }

  private func didDrain() {
    switch state {
    case .closing: endSending()
    case .draining: abort()
    case .live: payDebt()
    case .http, .greeting, .moving, .asleep, .echo, .closed: break
    }
  }

  /// Shows the client what was left out: once the queue is empty, or when nothing comes that could follow.
  func payDebt() {
    guard owesSnapshot, case .live(let session) = state else { return }
    session.assumeIsolated { $0.sendSnapshot(to: renderer) }
    guard owesHash, case .live(let session) = state else { return }
    owesHash = false
    _ = session.assumeIsolated { $0.sendHash(to: renderer) }
  }
}
