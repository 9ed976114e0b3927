import Wire

extension Connection {
  private func returnSendStorage(_ storage: [UInt8]) {
    // A ping's few bytes are no reason to give up the room that the next patch wants.
    if storage.capacity > loop.work.sendStorage.capacity, storage.capacity <= Workspace.largestKept {
      loop.work.sendStorage = storage
    }
  }

  /// What the messages of a peer that does not read may keep of memory: what was borrowed may be much more, and so may
  /// what has grown, once nothing is added any more.
  private var mostForWaiting: Int {
    channel.isCongested ? output.count + output.count / 4 : 8192 + 2 * output.count
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
      didSendAll()
    }
    return true
  }

  private func didSendAll() {
    switch state {
    case .closing: endSending()
    case .halfClosed: abort()
    case .channel: channel.payDebt()
    case .http, .moving, .echo, .closed: break
    }
  }
}
